#pragma once

/// \file The plan of an RMG sort: plain data, in the order of the paper.

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

/// A non-empty bucket, its range in the sorted order and the GPUs that receive it.
struct PlannedBucket {
    PlacementRecord placement;
    std::uint32_t histogram = 0; ///< index into the histograms of its pass
    std::uint32_t digit = 0;     ///< column of that histogram
    friend bool operator==(PlannedBucket const&, PlannedBucket const&) = default;
};

/// One partitioning pass: the histograms of the buckets that it refines and all their non-empty
/// sub-buckets, ascending.
struct PassPlan {
    int pass = 1; ///< 1 = the most significant digit
    std::vector<BucketHistogram> histograms;
    std::vector<PlannedBucket> buckets;
    std::vector<RefinedBucket> refined;    ///< [histograms] if not refined by digits, else empty
    std::vector<BucketFunction> functions; ///< [refined] dividing each of them
    friend bool operator==(PassPlan const&, PassPlan const&) = default;
};

/// Extent of one call of the bucket sort.
enum class GroupExtent {
    buckets,    ///< a bucket, or small adjacent buckets of one pass, fused
    whole_range ///< all keys of a GPU that would otherwise have too many groups
};

/// One call of the bucket sort.
struct SortGroup {
    GpuId gpu;
    std::uint64_t offset = 0; ///< relative to the GPU's own range
    std::uint64_t count = 0;
    int end_bit = 0;                ///< sorts bits [0, end_bit); 0 = already sorted
    std::uint32_t bucket_count = 0; ///< number of fused buckets
    GroupExtent extent = GroupExtent::buckets;
    friend bool operator==(SortGroup const&, SortGroup const&) = default;
};

/// A whole plan of RMG sort (paper, section 3).
struct Plan {
    SortConfig config;
    Counts counts = Counts::exact;
    Chunks chunks{0, 1};
    DigitLayout layout{32, 8};
    int child_bits = 0;          ///< bits of a child's index in a prefix; 0 if passes read digits
    std::uint64_t tolerance = 0; ///< E, in keys
    std::vector<PassPlan> passes;
    std::vector<PlannedBucket> buckets;     ///< placed and cut buckets in sorted order
    std::vector<OwnershipRecord> ownership; ///< [g]
    std::vector<SortGroup> sort_groups;     ///< by GPU, then offset
    [[nodiscard]] int pass_count() const { return static_cast<int>(passes.size()); }
};

/// The sub-bucket that column `column` of the bucket's histogram counts.
[[nodiscard]] BucketPrefix child_of(Plan const& plan, BucketPrefix bucket, std::uint32_t column);

/// Maps the prefixes of the plan's buckets to intervals of images.
[[nodiscard]] BucketSpace bucket_space_of(Plan const& plan);

/// The images that fall into a planned bucket. \pre it is the whole input or part of plan.passes
[[nodiscard]] ImageInterval images_of(Plan const& plan, PlannedBucket const& bucket);

/// Number of keys of a final bucket on `source`. \pre bucket comes from plan.buckets
[[nodiscard]] std::uint64_t part_size(Plan const& plan, PlannedBucket const& bucket, GpuId source);

/// C + 2E: maximum number of keys that a GPU may own, as each border moves by at most E.
[[nodiscard]] std::uint64_t owned_max(Plan const& plan);

} // namespace keyswap::model
