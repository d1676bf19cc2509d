#pragma once

/// \file The ranks of one external sort.

#include "model/ranks/communicator.hpp"
#include "traces/errors/input_error.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Collective operations of the ranks, no-ops for a single process. All ranks call the
/// communicating functions in the same order, on the thread that sorts; these throw RankFailure.
class RankTeam {
  public:
    /// \param ranks must outlive this object; null or size 1: a single process
    explicit RankTeam(model::Communicator* ranks)
        : ranks_(ranks != nullptr && ranks->size() > 1 ? ranks : nullptr) {}

    [[nodiscard]] std::uint32_t rank() const { return ranks_ == nullptr ? 0 : ranks_->rank(); }
    [[nodiscard]] std::uint32_t size() const { return ranks_ == nullptr ? 1 : ranks_->size(); }
    [[nodiscard]] bool is_single_process() const { return ranks_ == nullptr; }
    [[nodiscard]] bool is_first() const { return rank() == 0; }
    /// \pre !is_single_process()
    [[nodiscard]] model::Communicator& ranks() const { return *ranks_; }

    /// Ends a step: if any rank has an error, all ranks return one.
    [[nodiscard]] Expected<void> agree(std::string_view step, Expected<void> const& own) const;
    template <class T>
    [[nodiscard]] Expected<void> agree(std::string_view step, Expected<T> const& own) const {
        return agree(step, own ? Expected<void>{} : tl::unexpected(own.error()));
    }
    /// Runs work that may outlast the ranks' timeout. The first error ends it on all ranks.
    [[nodiscard]] Expected<void> carry_out(std::string_view step,
                                           std::function<Expected<void>()> const& work);
    /// True if another rank has failed, so this rank's work should stop. Callable by any thread.
    [[nodiscard]] bool others_failed() const { return others_failed_; }

    /// Broadcasts values from `rank` to all ranks. \param count the same on all ranks
    template <class T>
    [[nodiscard]] std::vector<T> values_of(std::uint32_t rank,
                                           std::string_view step,
                                           std::vector<T> own,
                                           std::size_t count) const {
        if (is_single_process()) {
            return own;
        }
        own.resize(rank == this->rank() ? own.size() : 0);
        std::vector<T> values(count);
        std::vector<std::span<std::byte const>> const sends(size(), std::as_bytes(std::span(own)));
        std::vector<std::span<std::byte>> receives(size());
        receives[rank] = std::as_writable_bytes(std::span(values));
        ranks_->exchange(step, sends, receives);
        return values;
    }
    /// Broadcasts a text from `rank` to all ranks.
    [[nodiscard]] std::string
    text_of(std::uint32_t rank, std::string_view step, std::string_view own) const;

  private:
    model::Communicator* ranks_;
    std::atomic<bool> others_failed_{false};
};

} // namespace keyswap::tools
