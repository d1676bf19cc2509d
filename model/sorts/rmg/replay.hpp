#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/plan/violation.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "traces/records/records.hpp"

#include <optional>

namespace keyswap::model {

/// Carries a plan of RMG sort out on virtual GPUs in host memory: scatter pass by pass, the key
/// swap, the bucket sort. The keys are checked against the plan on the way: every histogram is
/// counted anew from the keys themselves.
///
/// GPU i's memory is its chunk of `arrays` before the swap, and [base(i), base(i+1)) after it, so
/// that the sorted keys end up in `arrays` without a copy back.
///
/// \param arrays [n] images and values in input order; sorted afterwards
/// \param scratch [n] its contents are lost
/// \param sink takes a digest of every bucket part before and after the swap; null costs nothing
/// \returns the first place at which keys and plan disagree; `arrays` is then partly sorted
/// \pre plan.counts is exact and plan.config.key_count == arrays.size() == scratch.size()
/// Source: RMG paper, section 3.
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> replay_rmg_sort(Plan const& plan,
                                                       KeyArrays<Image, Value> const& arrays,
                                                       KeyArrays<Image, Value> const& scratch,
                                                       TraceSink* sink);

} // namespace keyswap::model
