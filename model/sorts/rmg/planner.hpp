#pragma once

#include "model/keys/key_source.hpp"
#include "model/plan/sort_config.hpp"
#include "model/sorts/rmg/plan.hpp"

namespace keyswap::model {

/// Plans an RMG sort: chunks, partitioning passes until no bucket spans a border, cuts after the
/// last pass, ownership, and the groups of the bucket sort. One GPU needs no pass.
/// \pre config is validated; source.key_count() == config.key_count
/// Source: RMG paper, section 3.
[[nodiscard]] Plan plan_rmg_sort(SortConfig const& config, KeySource& source);

/// The start of any plan with partitioning passes and one key swap: configuration, chunks and
/// tolerance. \pre as for plan_rmg_sort()
[[nodiscard]] Plan begin_plan(SortConfig const& config, KeySource const& source);

/// The buckets that the first pass refines: the whole input; none for one GPU or no keys.
[[nodiscard]] std::vector<PlannedBucket> first_spanning(Plan const& plan);

/// Fills in final buckets, ownership and sort groups. \pre no bucket of the last pass spans
void finish_plan(Plan& plan);

} // namespace keyswap::model
