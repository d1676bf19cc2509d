#pragma once

#include "model/key_source.hpp"
#include "model/plan.hpp"

#include <cstdint>
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

/// The buckets of a pass that the next one refines.
[[nodiscard]] std::vector<PlannedBucket> spanning_buckets(PassPlan const& pass);

/// The whole input as the first spanning bucket. \pre chunks.key_count() > 0
[[nodiscard]] PlannedBucket whole_input(Chunks const& chunks);

} // namespace keyswap::model
