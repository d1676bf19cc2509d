#pragma once

/// \file The ranks of a sort as threads of this process, whose traces become that of one run.

#include "kernels/rank_sort.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::kernels::gpu_test {
struct HostElements;
} // namespace keyswap::kernels::gpu_test

namespace keyswap::proptests {

/// What moves keys between ranks.
enum class RankLink { threads, nccl };

class LiveRanks {
  public:
    /// \param options devices: each rank's GPU
    [[nodiscard]] static kernels::SortExpected<std::shared_ptr<LiveRanks>>
    create(kernels::SortOptions const& options, std::uint64_t key_count_max, RankLink link);

    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const {
        return sorters_.front().describe(key_count);
    }

    /// Sorts host memory; each rank is given its chunk.
    /// \param trace takes the merged records of all ranks, all but the header; may be null
    /// \returns why there is no result
    [[nodiscard]] std::optional<std::string>
    sort(kernels::gpu_test::HostElements elements, std::uint64_t count, TraceSink* trace);

  private:
    LiveRanks(kernels::SortOptions options, std::vector<kernels::RankSorter> sorters)
        : options_(std::move(options)), sorters_(std::move(sorters)) {}

    kernels::SortOptions options_;
    std::vector<kernels::RankSorter> sorters_; ///< [rank]
};

} // namespace keyswap::proptests
