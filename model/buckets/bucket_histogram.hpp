#pragma once

#include "traces/records/bucket_prefix.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Keys of one bucket by GPU and next digit: the histograms that the GPUs exchange in a pass (RMG
/// paper, section 3.1). GPUs with equal histograms share a row, which keeps a closed-form plan of
/// 576 GPUs with equal chunks small.
class BucketHistogram {
  public:
    /// All counts are zero; every GPU uses row 0.
    BucketHistogram(BucketPrefix bucket, std::uint32_t gpu_count, std::uint32_t digit_count);

    /// The bucket that is refined (of pass q-1 if the digits are those of pass q).
    [[nodiscard]] BucketPrefix bucket() const { return bucket_; }
    [[nodiscard]] std::uint32_t gpu_count() const {
        return static_cast<std::uint32_t>(row_of_gpu_.size());
    }
    [[nodiscard]] std::uint32_t digit_count() const { return digit_count_; }

    /// Appends a row of counts. \return its index \pre counts has digit_count() entries
    std::uint32_t add_row(std::span<std::uint64_t const> counts);
    /// Sets the row that `gpu` uses.
    void assign_row(GpuId gpu, std::uint32_t row);

    /// [digit_count()] counts of one GPU; valid until the next add_row() or keep_digits().
    [[nodiscard]] std::span<std::uint64_t const> of(GpuId gpu) const;
    [[nodiscard]] std::uint64_t count(GpuId gpu, std::uint32_t digit) const;
    /// Removes the columns from `digit_count` on. \pre their counts are zero
    void keep_digits(std::uint32_t digit_count);
    [[nodiscard]] std::uint32_t row_of(GpuId gpu) const { return row_of_gpu_[gpu.value]; }
    /// Sum over all GPUs, [digit_count()].
    [[nodiscard]] std::vector<std::uint64_t> total() const;

    friend bool operator==(BucketHistogram const&, BucketHistogram const&);

  private:
    BucketPrefix bucket_;
    std::uint32_t digit_count_;
    std::vector<std::uint32_t> row_of_gpu_;
    std::vector<std::uint64_t> rows_; ///< row-major; row 0 is all zero
};

} // namespace keyswap::model
