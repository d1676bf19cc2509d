#pragma once

#include "model/partition/bucket_space.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// The records of a run that say where keys go.
struct RecordedMoves {
    BucketSpace space{DigitLayout(32, 8)}; ///< what the placements' buckets are
    std::uint32_t gpu_count = 1;
    /// By which buckets chunks are ordered before the exchange; none if they are sorted first.
    std::span<PlacementRecord const> placements;
    bool sorted_first = false; ///< a merge sort: chunks are sorted, then the stages follow
    SwapLayout layout = SwapLayout::by_bucket;
    std::span<OwnershipRecord const> ownership;
    std::span<CopyRecord const> copies;
    std::span<SortRangeRecord const> sort_ranges;
    std::span<MergeRecord const> merges;
};

} // namespace keyswap::model
