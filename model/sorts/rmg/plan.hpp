#pragma once

/// \file The result of planning an RMG sort: plain data, in the order in which the paper makes it.

#include "model/buckets/bucket_histogram.hpp"
#include "model/buckets/chunks.hpp"
#include "model/buckets/digit_layout.hpp"
#include "model/keys/key_source.hpp"
#include "model/keys/refined_bucket.hpp"
#include "model/partition/bucket_space.hpp"
#include "model/plan/sort_config.hpp"
#include "traces/records/bucket_function.hpp"
#include "traces/records/records.hpp"

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
    std::vector<RefinedBucket> refined;    ///< [histograms] where buckets are not refined by digits
    std::vector<BucketFunction> functions; ///< [refined] that divide them
    friend bool operator==(PassPlan const&, PassPlan const&) = default;
};

/// What one call of the bucket sort takes.
enum class GroupExtent {
    buckets,    ///< a bucket, or neighbours of one pass, fused for being small
    whole_range ///< all keys of a GPU that would have too many groups
};

/// One call of the bucket sort.
struct SortGroup {
    GpuId gpu;
    std::uint64_t offset = 0; ///< in the GPU's own range
    std::uint64_t count = 0;
    int end_bit = 0;                ///< bits [0, end_bit) are sorted; 0 = nothing is left to sort
    std::uint32_t bucket_count = 0; ///< that were fused
    GroupExtent extent = GroupExtent::buckets;
    friend bool operator==(SortGroup const&, SortGroup const&) = default;
};

/// A whole plan of RMG sort (paper, section 3).
struct Plan {
    SortConfig config;
    Counts counts = Counts::exact;
    Chunks chunks{0, 1};
    DigitLayout layout{32, 8};
    int child_bits = 0;          ///< of a child's index in a prefix; 0 if passes read digits
    std::uint64_t tolerance = 0; ///< E, in keys
    std::vector<PassPlan> passes;
    std::vector<PlannedBucket> buckets;     ///< placed and cut ones in sorted order
    std::vector<OwnershipRecord> ownership; ///< [g]
    std::vector<SortGroup> sort_groups;     ///< by GPU, then offset
    [[nodiscard]] int pass_count() const { return static_cast<int>(passes.size()); }
};

/// The child of a refined bucket in a column of its histogram.
[[nodiscard]] BucketPrefix child_of(Plan const& plan, BucketPrefix bucket, std::uint32_t column);

/// What the prefixes of the plan's buckets mean.
[[nodiscard]] BucketSpace bucket_space_of(Plan const& plan);

/// The images that a planned bucket can hold. \pre it is the whole input or of one of plan.passes
[[nodiscard]] ImageInterval images_of(Plan const& plan, PlannedBucket const& bucket);

/// Keys of a final bucket that lie on `source`. \pre bucket comes from plan.buckets
[[nodiscard]] std::uint64_t part_size(Plan const& plan, PlannedBucket const& bucket, GpuId source);

/// C + 2E: most keys that a GPU may own, as each of its two borders moves by E at most.
[[nodiscard]] std::uint64_t owned_max(Plan const& plan);

} // namespace keyswap::model
