#pragma once

/// \file Collective communication between the ranks of a sort: one message to and one from every
/// rank per step. Transports are threads of one process and MPI.

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

/// Some ranks failed to complete a step: they exited, stopped, are at another step, or sent a
/// message of the wrong size. Thrown on every rank that waits for them.
class RankFailure : public std::runtime_error {
  public:
    /// \param step step in which the failure was detected
    /// \param problem predicate of the ranks, for instance "did not answer within 60 s"
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

/// One rank's endpoint, connected to all ranks.
class Communicator {
  public:
    Communicator() = default;
    Communicator(Communicator const&) = delete;
    Communicator& operator=(Communicator const&) = delete;
    virtual ~Communicator() = default;

    [[nodiscard]] virtual std::uint32_t rank() const = 0;
    [[nodiscard]] virtual std::uint32_t size() const = 0;

    /// Sends a message to each rank and receives one from each, including this rank. Both ends know
    /// the size in advance; a message may be empty.
    /// \param step purpose, for error messages
    /// \param sends [size()]
    /// \param receives [size()] filled on return
    /// \throws RankFailure
    virtual void exchange(std::string_view step,
                          std::span<std::span<std::byte const> const> sends,
                          std::span<std::span<std::byte> const> receives) = 0;
};

/// Gathers the values of all ranks. \param own the same number of elements on each rank
/// \return [size() * own.size()] ordered by rank
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

/// Gathers one value per rank. \return [size()]
template <class T>
[[nodiscard]] std::vector<T> all_gather(Communicator& ranks, std::string_view step, T const& own) {
    return all_gather(ranks, step, std::span<T const>(&own, 1));
}

/// Gathers a text per rank, truncated to 1,023 bytes. \return [size()]
[[nodiscard]] std::vector<std::string>
all_gather_text(Communicator& ranks, std::string_view step, std::string_view own);

} // namespace keyswap::model
