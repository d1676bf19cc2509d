#pragma once

#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace keyswap::model {

/// One partitioning pass: requests the histograms of the spanning buckets, and places every
/// non-empty sub-bucket by the prefix sum over digits of the GPUs' total counts. In the last pass
/// a bucket that still spans holds equal keys and is marked as cut.
/// \param spanning spanning buckets of pass q-1, ascending; the whole input for q = 1
/// Source: RMG paper, section 3.1.
[[nodiscard]] PassPlan plan_pass(Chunks const& chunks,
                                 DigitLayout const& layout,
                                 std::uint64_t tolerance,
                                 std::span<PlannedBucket const> spanning,
                                 KeySource& source);

/// A child of a refined bucket: its prefix, and whether all its keys must be equal.
struct ChildBucket {
    BucketPrefix bucket;
    bool single_valued = false;
};

/// Places the non-empty children of one refined bucket, which covers `range` of the sorted order,
/// and appends them to the pass. A child that crosses a border is spanning, or cut if all its keys
/// are equal.
/// \param child_of maps a column of the histogram to the child
void place_children(Chunks const& chunks,
                    std::uint64_t tolerance,
                    IndexRange range,
                    std::uint32_t histogram_index,
                    std::function<ChildBucket(std::uint32_t)> const& child_of,
                    PassPlan& pass);

/// The buckets of a pass that the next pass refines.
[[nodiscard]] std::vector<PlannedBucket> spanning_buckets(PassPlan const& pass);

/// The whole input as the first spanning bucket. \pre chunks.key_count() > 0
[[nodiscard]] PlannedBucket whole_input(Chunks const& chunks);

} // namespace keyswap::model
