#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/plan/violation.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "traces/records/records.hpp"

#include <optional>

namespace keyswap::model {

/// Executes a plan of RMG sort on virtual GPUs in host memory: scatter pass by pass, the key
/// swap, the bucket sort. On the way it compares keys and plan: every histogram is recomputed
/// from the keys.
///
/// GPU i's memory is its chunk of `arrays` before the swap, and [base(i), base(i+1)) after it, so
/// that `arrays` holds the sorted keys without a copy back.
///
/// \param arrays [n] images and values in input order; sorted afterwards
/// \param scratch [n] overwritten
/// \param sink receives a digest of every bucket part before and after the swap; may be null
/// \returns the first difference between keys and plan; `arrays` is then partly sorted
/// \pre plan.counts is exact and plan.config.key_count == arrays.size() == scratch.size()
/// Source: RMG paper, section 3.
template <class Image, class Value>
[[nodiscard]] std::optional<Violation> replay_rmg_sort(Plan const& plan,
                                                       KeyArrays<Image, Value> const& arrays,
                                                       KeyArrays<Image, Value> const& scratch,
                                                       TraceSink* sink);

} // namespace keyswap::model
