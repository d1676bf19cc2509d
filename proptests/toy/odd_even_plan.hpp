#pragma once

#include "model/keys/key_source.hpp"
#include "model/sorts/merge/merge_plan.hpp"
#include "traces/errors/input_error.hpp"

namespace keyswap::model {

/// Every GPU sorts its chunk; then the pairs (0, 1), (2, 3) ... and (1, 2), (3, 4) ... take turns:
/// the lower GPU of a pair keeps as many of the smallest keys of both as it has, the higher one the
/// rest, until no pair has anything to exchange. Equal keys keep their order.
/// \pre as of every plan (algorithm.hpp)
[[nodiscard]] Expected<MergePlan> plan_odd_even_sort(SortConfig const& config, KeySource& source);

} // namespace keyswap::model
