#pragma once

/// \file Derived from the placement of all buckets: ownership of the sorted order, the copies of
/// the key swap, and the ranges of the bucket sort. Host logic without CUDA.
/// Source: RMG paper, sections 3.2 and 3.3.

#include "kernels/exchange_plan/bucket_images.hpp"
#include "kernels/primitives/partition/placement_rule.hpp"
#include "kernels/primitives/segment_limits.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// A non-empty bucket that is not refined further.
struct FinalBucket {
    PlacementRecord placement;     ///< placed or cut
    std::vector<KeyRange> parts{}; ///< [g] before the swap
    ImageRange images{};

    [[nodiscard]] std::uint64_t count() const { return placement.end - placement.begin; }
};

/// True if all keys are equal: every chunk is already sorted.
[[nodiscard]] bool holds_one_value(std::span<FinalBucket const> buckets);

/// True if counting is faster for the keys that a wide step leaves of these buckets: a stretch has
/// `counting_min` keys on average and none exceeds what a block counts in one read. Assumes that
/// stretches of one bucket have similar sizes.
[[nodiscard]] bool fit_counting(std::span<FinalBucket const> buckets, std::uint64_t counting_min);

/// The piece of a final bucket that one GPU owns after the swap; the whole bucket unless cut.
struct OwnedBucket {
    GpuId gpu;
    BucketPrefix bucket;
    std::uint64_t offset = 0; ///< in the GPU's own range
    std::uint64_t count = 0;
    ImageRange images{};
};

/// [g] shares of the sorted order. A GPU without a bucket owns 0 keys at the next GPU's base.
/// \param buckets ascending, covering [0, key_count)
[[nodiscard]] std::vector<OwnershipRecord>
ownership_of(std::span<FinalBucket const> buckets, PlacementRule rule, std::uint64_t key_count);

/// The pieces that GPUs own, by GPU and offset.
[[nodiscard]] std::vector<OwnedBucket> owned_buckets(std::span<FinalBucket const> buckets,
                                                     std::span<OwnershipRecord const> ownership);

/// One copy for each bucket and pair of GPUs that has keys to move, ascending by bucket, then
/// destination, then source. A cut bucket's sources fill its destinations in ascending order.
[[nodiscard]] std::vector<CopyRecord> bucket_copies(std::span<FinalBucket const> buckets,
                                                    std::span<OwnershipRecord const> ownership);

/// The same copies by source; each source begins with the next higher GPU and ends with itself, so
/// that no two sources send to the same GPU at a time. Merges copies contiguous at both ends.
[[nodiscard]] std::vector<CopyRecord> rotated_copies(std::vector<CopyRecord> copies,
                                                     std::uint32_t gpu_count);

/// One range per piece of a bucket, with its unsorted bits.
[[nodiscard]] std::vector<SortRangeRecord> bucket_ranges(std::span<OwnedBucket const> owned);

/// Groups of adjacent buckets of the same pass with their unsorted bits, by GPU and offset. A GPU
/// with more than 128 groups gets a single one.
/// \param fuse_below exclusive limit of a group in keys: C * fuse / 1e6
[[nodiscard]] std::vector<SortRangeRecord> sort_ranges(std::span<OwnedBucket const> owned,
                                                       std::uint64_t fuse_below);

} // namespace keyswap::kernels
