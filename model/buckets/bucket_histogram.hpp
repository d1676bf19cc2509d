#pragma once

#include "traces/records/bucket_prefix.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Keys of one bucket by GPU and next digit: the histograms that the GPUs exchange in a pass (RMG
/// paper, section 3.1). GPUs with equal histograms share a row, so that a closed-form plan of 576
/// GPUs with equal chunks is small.
class BucketHistogram {
  public:
    /// All counts zero; every GPU shares row 0.
    BucketHistogram(BucketPrefix bucket, std::uint32_t gpu_count, std::uint32_t digit_count);

    /// The bucket that is refined (pass q-1 where the digits are those of pass q).
    [[nodiscard]] BucketPrefix bucket() const { return bucket_; }
    [[nodiscard]] std::uint32_t gpu_count() const {
        return static_cast<std::uint32_t>(row_of_gpu_.size());
    }
    [[nodiscard]] std::uint32_t digit_count() const { return digit_count_; }

    /// Adds a row of counts and returns its index. \pre counts has digit_count() entries
    std::uint32_t add_row(std::span<std::uint64_t const> counts);
    /// From now on `gpu` has the counts of `row`.
    void assign_row(GpuId gpu, std::uint32_t row);

    /// [digit_count()] counts of one GPU.
    [[nodiscard]] std::span<std::uint64_t const> of(GpuId gpu) const;
    [[nodiscard]] std::uint64_t count(GpuId gpu, std::uint32_t digit) const;
    /// Drops the columns from `digit_count` on. \pre they are empty
    void keep_digits(std::uint32_t digit_count);
    [[nodiscard]] std::uint32_t row_of(GpuId gpu) const { return row_of_gpu_[gpu.value]; }
    /// Counts over all GPUs, [digit_count()].
    [[nodiscard]] std::vector<std::uint64_t> total() const;

    friend bool operator==(BucketHistogram const&, BucketHistogram const&);

  private:
    BucketPrefix bucket_;
    std::uint32_t digit_count_;
    std::vector<std::uint32_t> row_of_gpu_;
    std::vector<std::uint64_t> rows_; ///< row-major; row 0 is all zero
};

} // namespace keyswap::model
