#pragma once

#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace keyswap::model {

/// One partitioning pass: asks for the histograms of the spanning buckets, and places every
/// non-empty sub-bucket by the prefix sum over GPUs and digits. In the last pass what still spans
/// holds one key value and is marked to be cut.
/// \param spanning the buckets that pass q-1 left spanning, ascending; the whole input for q = 1
/// Source: RMG paper, section 3.1.
[[nodiscard]] PassPlan plan_pass(Chunks const& chunks,
                                 DigitLayout const& layout,
                                 std::uint64_t tolerance,
                                 std::span<PlannedBucket const> spanning,
                                 KeySource& source);

/// A child of a refined bucket: its name, and whether all its keys are equal.
struct ChildBucket {
    BucketPrefix bucket;
    bool single_valued = false;
};

/// Places the non-empty children of one refined bucket, whose keys are `range` of the sorted order,
/// and adds them to the pass. One that crosses a border spans it, or is cut there if all its keys
/// are equal.
/// \param child_of the child of a column of the histogram
void place_children(Chunks const& chunks,
                    std::uint64_t tolerance,
                    IndexRange range,
                    std::uint32_t histogram_index,
                    std::function<ChildBucket(std::uint32_t)> const& child_of,
                    PassPlan& pass);

/// The buckets of a pass that the next one refines.
[[nodiscard]] std::vector<PlannedBucket> spanning_buckets(PassPlan const& pass);

/// The whole input as the first spanning bucket. \pre chunks.key_count() > 0
[[nodiscard]] PlannedBucket whole_input(Chunks const& chunks);

} // namespace keyswap::model
