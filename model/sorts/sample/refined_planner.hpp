#pragma once

#include "model/sorts/rmg/plan.hpp"
#include "model/sorts/sample/refinements.hpp"

namespace keyswap::model {

/// Plans a sort across GPUs like RMG's, with a refinement in place of digits: partitioning passes
/// until no bucket spans a border, one key swap, a sort of each GPU's buckets.
/// \return an error if buckets still span borders after 64 / c passes
/// \pre validated(config); source.key_count() == config.key_count
/// Source: RMG paper, section 3, for all but the refinement.
[[nodiscard]] Expected<Plan>
plan_refined_sort(SortConfig const& config, Refinement const& refinement, KeySource& source);

/// True if no bucket spans a border after the first pass.
/// \pre validated(config); source.key_count() == config.key_count
[[nodiscard]] bool
first_pass_suffices(SortConfig const& config, Refinement const& refinement, KeySource& source);

} // namespace keyswap::model
