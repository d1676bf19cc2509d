#pragma once

#include "model/partition/bucket_space.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// The records of a run that determine the movement of its keys.
struct RecordedMoves {
    BucketSpace space{DigitLayout(32, 8)}; ///< maps the placements' buckets to images
    std::uint32_t gpu_count = 1;
    /// Buckets that order the chunks before the exchange; empty if chunks are sorted first.
    std::span<PlacementRecord const> placements;
    bool sorted_first = false; ///< merge sorts: chunks are sorted before the stages
    SwapLayout layout = SwapLayout::by_bucket;
    std::span<OwnershipRecord const> ownership;
    std::span<CopyRecord const> copies;
    std::span<SortRangeRecord const> sort_ranges;
    std::span<MergeRecord const> merges;
};

} // namespace keyswap::model
