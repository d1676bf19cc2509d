#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/plan/violation.hpp"
#include "model/sorts/merge/merge_plan.hpp"

#include <optional>

namespace keyswap::model {

/// Carries the plan of a merge-based sort out on virtual GPUs in host memory: sorts every chunk,
/// runs the stages of swaps and merges, then the CPU's merge where the plan has one.
/// \param arrays [n] images and values in input order; sorted afterwards
/// \param scratch [n] its contents are lost
/// \returns where the result is not in order, which means that the plan was made for other keys
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> replay_merge_sort(MergePlan const& plan,
                                                         KeyArrays<Image, Value> const& arrays,
                                                         KeyArrays<Image, Value> const& scratch);

} // namespace keyswap::model
