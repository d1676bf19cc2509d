#pragma once

#include "model/keys/key_source.hpp"
#include "model/sorts/merge/merge_plan.hpp"
#include "traces/errors/input_error.hpp"

namespace keyswap::model {

/// Odd-even transposition sort over GPUs: every GPU sorts its chunk; then the pairs (0, 1), (2, 3)
/// ... and (1, 2), (3, 4) ... alternate. The lower GPU of a pair keeps the smallest keys of both,
/// the higher one the rest, until no pair exchanges anything. Stable.
/// \pre as for every plan (algorithm.hpp)
[[nodiscard]] Expected<MergePlan> plan_odd_even_sort(SortConfig const& config, KeySource& source);

} // namespace keyswap::model
