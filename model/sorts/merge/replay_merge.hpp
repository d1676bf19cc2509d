#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/plan/violation.hpp"
#include "model/sorts/merge/merge_plan.hpp"

#include <optional>

namespace keyswap::model {

/// Executes the plan of a merge sort on virtual GPUs in host memory: sorts every chunk, runs the
/// stages of swaps and merges, then the CPU's merge, if any.
/// \param arrays [n] images and values in input order; sorted afterwards
/// \param scratch [n] overwritten
/// \returns the first position out of order, which means that the plan is for other keys
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> replay_merge_sort(MergePlan const& plan,
                                                         KeyArrays<Image, Value> const& arrays,
                                                         KeyArrays<Image, Value> const& scratch);

} // namespace keyswap::model
