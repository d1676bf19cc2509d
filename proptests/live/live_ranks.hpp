#pragma once

/// \file The ranks of a sort as threads of this process; merges their traces into one run.

#include "kernels/rank_sort.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Transport of keys between ranks.
enum class RankLink { threads, nccl };

class LiveRanks {
  public:
    /// \param options options.devices holds each rank's GPU
    [[nodiscard]] static kernels::SortExpected<std::shared_ptr<LiveRanks>>
    create(kernels::SortOptions const& options, std::uint64_t key_count_max, RankLink link);

    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const {
        return sorters_.front().describe(key_count);
    }

    /// Sorts keys in host memory; each rank gets its chunk.
    /// \param trace receives the merged records of all ranks except the header; may be null
    /// \returns the error; nullopt on success
    [[nodiscard]] std::optional<std::string>
    sort(kernels::Columns<void> elements, std::uint64_t count, TraceSink* trace);

  private:
    LiveRanks(kernels::SortOptions options, std::vector<kernels::RankSorter> sorters)
        : options_(std::move(options)), sorters_(std::move(sorters)) {}

    kernels::SortOptions options_;
    std::vector<kernels::RankSorter> sorters_; ///< [rank]
};

} // namespace keyswap::proptests
