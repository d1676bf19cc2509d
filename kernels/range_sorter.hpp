#pragma once

/// \file Sorts elements in host memory that exceed the GPUs' memory: distributes them among key
/// ranges, and sorts a sequence of ranges. While the GPUs work on some elements, the next are
/// uploaded and the previous ones downloaded. No CUDA header is needed.

#include "kernels/exchange_plan/range_blocks.hpp"
#include "kernels/sort.hpp"
#include "traces/records/bucket_function.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Consecutive elements in host memory. Transfers of pinned memory are several times faster.
struct HostPiece {
    Columns<void const> from;
    std::uint64_t count = 0;
};

/// A range in host memory, and the destination of the result, which may be the memory of its only
/// piece.
struct HostRange {
    std::vector<HostPiece> pieces; ///< in order
    Columns<void> sorted;

    [[nodiscard]] std::uint64_t count() const;
};

/// How many elements of each block belong to each bucket.
struct BlockCounts {
    std::uint64_t block_size = 0;                   ///< elements of each block but the last
    std::vector<std::vector<std::uint64_t>> counts; ///< [blocks][buckets]
};

/// Sorts ranges of up to key_count_max keys. Allocates once: the sorter's workspace, memory to
/// distribute a block, and four buffers on each GPU, two of them for the range being sorted.
class RangeSorter {
  public:
    /// \return also an error if the algorithm cannot sort keys in GPU memory
    [[nodiscard]] static SortExpected<RangeSorter> create(SortOptions const& options,
                                                          std::uint64_t key_count_max);
    RangeSorter(RangeSorter&&) noexcept;
    RangeSorter& operator=(RangeSorter&&) noexcept;
    ~RangeSorter();

    [[nodiscard]] RunHeader describe(std::uint64_t key_count) const;
    [[nodiscard]] std::uint64_t bytes_per_gpu() const;

    /// Reorders each block of an array by bucket, from host memory to the same place of other
    /// arrays. Stable. Each GPU takes every n-th block.
    /// \return nullopt, without any work, if this multisplit is not supported: keys of 128 bits, or
    /// more than distribution_buckets_max buckets
    [[nodiscard]] SortExpected<std::optional<BlockCounts>>
    distribute(HostPiece const& elements, Columns<void> to, BucketFunction const& function);

    /// \param next returns the next range, nullopt after the last; at most three are in flight
    /// \param finished called for each range, in order, once its result is in host memory
    [[nodiscard]] SortExpected<void> sort(std::function<std::optional<HostRange>()> const& next,
                                          std::function<void()> const& finished);
    /// Transfers as many bytes to the GPUs and back as a sort of these ranges would, both at once
    /// but without sorting. Overwrites the ranges with meaningless data.
    [[nodiscard]] SortExpected<void> copy_both_ways(std::span<HostRange const> ranges);

  private:
    class Pipeline;
    explicit RangeSorter(std::unique_ptr<Pipeline> pipeline);
    std::unique_ptr<Pipeline> pipeline_;
};

/// Most keys of a range that a RangeSorter can sort. \param bytes_per_gpu memory limit; nullopt:
/// all free memory
[[nodiscard]] SortExpected<std::uint64_t>
range_keys_that_fit(SortOptions const& options, std::optional<std::uint64_t> bytes_per_gpu);

} // namespace keyswap::kernels
