#pragma once

/// \file The result of planning an RMG sort: plain data, in the order in which the paper makes it.

#include "model/bucket_histogram.hpp"
#include "model/chunks.hpp"
#include "model/digit_layout.hpp"
#include "model/key_source.hpp"
#include "model/sort_config.hpp"
#include "traces/records.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// A non-empty bucket, where it lies in sorted order and where it goes.
struct PlannedBucket {
    PlacementRecord placement;
    std::uint32_t histogram = 0; ///< index into the histograms of its pass
    std::uint32_t digit = 0;     ///< column of that histogram
    friend bool operator==(PlannedBucket const&, PlannedBucket const&) = default;
};

/// One partitioning pass: the histograms of the buckets that it refines and all non-empty
/// sub-buckets that this gives, ascending.
struct PassPlan {
    int pass = 1; ///< 1 = the most significant digit
    std::vector<BucketHistogram> histograms;
    std::vector<PlannedBucket> buckets;
    friend bool operator==(PassPlan const&, PassPlan const&) = default;
};

/// One call of the bucket sort after fusing: neighbouring buckets of one pass.
struct SortGroup {
    GpuId gpu;
    std::uint64_t offset = 0; ///< in the GPU's own range
    std::uint64_t count = 0;
    int end_bit = 0;                ///< bits [0, end_bit) are sorted; 0 = nothing is left to sort
    std::uint32_t bucket_count = 0; ///< that were fused
    friend bool operator==(SortGroup const&, SortGroup const&) = default;
};

/// A whole plan of RMG sort (paper, section 3).
struct Plan {
    SortConfig config;
    Counts counts = Counts::exact;
    Chunks chunks{0, 1};
    DigitLayout layout{32, 8};
    std::uint64_t tolerance = 0; ///< E, in keys
    std::vector<PassPlan> passes;
    std::vector<PlannedBucket> buckets;     ///< placed and cut ones in sorted order
    std::vector<OwnershipRecord> ownership; ///< [g]
    std::vector<SortGroup> sort_groups;     ///< by GPU, then offset
    [[nodiscard]] int pass_count() const { return static_cast<int>(passes.size()); }
};

/// Keys of a final bucket that lie on `source`. \pre bucket comes from plan.buckets
[[nodiscard]] std::uint64_t part_size(Plan const& plan, PlannedBucket const& bucket, GpuId source);

} // namespace keyswap::model
