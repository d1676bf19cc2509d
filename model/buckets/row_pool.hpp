#pragma once

#include "model/buckets/bucket_histogram.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace keyswap::model {

/// Collects the rows of several histograms, GPU by GPU, and stores equal rows of a histogram once.
class RowPool {
  public:
    RowPool(std::span<BucketPrefix const> buckets,
            std::uint32_t gpu_count,
            std::uint32_t digit_count);

    /// Stores the counts of `gpu` and resets the counters to zero.
    /// \param counters [buckets x digits] bucket-major
    void take_rows(GpuId gpu, std::span<std::uint64_t> counters);
    /// Assigns the rows of `from` to `to`.
    void copy_rows(GpuId from, GpuId to);

    [[nodiscard]] std::vector<BucketHistogram> histograms() && { return std::move(histograms_); }

  private:
    std::uint32_t digit_count_;
    std::vector<BucketHistogram> histograms_;
    /// [buckets] maps the hash of a row to a GPU that uses it. On a collision the row is stored
    /// again.
    std::vector<std::unordered_map<std::uint64_t, GpuId>> known_rows_;
};

} // namespace keyswap::model
