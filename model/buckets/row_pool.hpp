#pragma once

#include "model/buckets/bucket_histogram.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace keyswap::model {

/// Collects the rows of several histograms, GPU by GPU, and keeps equal rows of a histogram once.
class RowPool {
  public:
    RowPool(std::span<BucketPrefix const> buckets,
            std::uint32_t gpu_count,
            std::uint32_t digit_count);

    /// Stores the counts of `gpu` and sets them to zero for the next one.
    /// \param counters [buckets x digits] bucket-major
    void take_rows(GpuId gpu, std::span<std::uint64_t> counters);
    /// Gives `to` the rows of `from`.
    void copy_rows(GpuId from, GpuId to);

    [[nodiscard]] std::vector<BucketHistogram> histograms() && { return std::move(histograms_); }

  private:
    std::uint32_t digit_count_;
    std::vector<BucketHistogram> histograms_;
    /// By hash of a row: a GPU that has it. A row of the same hash and other content is stored
    /// again.
    std::vector<std::unordered_map<std::uint64_t, GpuId>> known_rows_;
};

} // namespace keyswap::model
