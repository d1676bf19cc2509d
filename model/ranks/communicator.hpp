#pragma once

/// \file How the ranks of a sort talk to each other: one message to each other rank and one from
/// each, in steps that all ranks take alike. Threads of one process and MPI are such transports.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace keyswap::model {

/// Some ranks did not do their part of a step: they ended, stopped, are at another step, or sent a
/// message of another size. Every rank that waits for them gets the error.
class RankFailure : public std::runtime_error {
  public:
    /// \param step at which it was noticed
    /// \param problem of the ranks, for instance "did not answer within 60 s"
    RankFailure(std::string step, std::vector<std::uint32_t> ranks, std::string problem);

    [[nodiscard]] std::string const& step() const { return step_; }
    [[nodiscard]] std::vector<std::uint32_t> const& ranks() const { return ranks_; }
    [[nodiscard]] std::string const& problem() const { return problem_; }

  private:
    std::string step_;
    std::vector<std::uint32_t> ranks_;
    std::string problem_;
};

/// "rank 3", "ranks 1, 2 and 5".
[[nodiscard]] std::string ranks_text(std::span<std::uint32_t const> ranks);

/// "sent 8 bytes where 16 were expected".
[[nodiscard]] std::string wrong_size_text(std::size_t sent, std::size_t expected);

/// One rank's end of the connection to all of them.
class Communicator {
  public:
    Communicator() = default;
    Communicator(Communicator const&) = delete;
    Communicator& operator=(Communicator const&) = delete;
    virtual ~Communicator() = default;

    [[nodiscard]] virtual std::uint32_t rank() const = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;

    /// Sends each rank its message and receives one from each, this rank included. Sizes are known
    /// at both ends; a message may be empty.
    /// \param step what it is for, in the words of an error
    /// \param sends [size()]
    /// \param receives [size()] filled
    /// \throws RankFailure
    virtual void exchange(std::string_view step,
                          std::span<std::span<std::byte const> const> sends,
                          std::span<std::span<std::byte> const> receives) = 0;
};

/// What each rank has, by rank. \param own as many elements on each rank
/// \return [size() * own.size()]
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] std::vector<T>
all_gather(Communicator& ranks, std::string_view step, std::span<T const> own) {
    std::vector<T> all(std::size_t{ranks.size()} * own.size());
    std::vector<std::span<std::byte const>> const sends(ranks.size(), std::as_bytes(own));
    std::vector<std::span<std::byte>> receives;
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        receives.push_back(
            std::as_writable_bytes(std::span(all).subspan(rank * own.size(), own.size())));
    }
    ranks.exchange(step, sends, receives);
    return all;
}

/// One value of each rank. \return [size()]
template <class T>
[[nodiscard]] std::vector<T> all_gather(Communicator& ranks, std::string_view step, T const& own) {
    return all_gather(ranks, step, std::span<T const>(&own, 1));
}

/// A text of each rank; longer ones are cut off. \return [size()]
[[nodiscard]] std::vector<std::string>
all_gather_text(Communicator& ranks, std::string_view step, std::string_view own);

} // namespace keyswap::model
