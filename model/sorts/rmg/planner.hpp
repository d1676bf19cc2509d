#pragma once

#include "model/keys/key_source.hpp"
#include "model/plan/sort_config.hpp"
#include "model/sorts/rmg/plan.hpp"

namespace keyswap::model {

/// Plans an RMG sort: chunks, partitioning passes until no bucket spans, cuts after the last pass,
/// the key swap's ownership, and the bucket sort's groups. One GPU needs no pass.
/// \pre config is validated; source.key_count() == config.key_count
/// Source: RMG paper, section 3.
[[nodiscard]] Plan plan_rmg_sort(SortConfig const& config, KeySource& source);

/// What every plan of partitioning passes and one key swap begins with: configuration, chunks and
/// tolerance. \pre as for plan_rmg_sort()
[[nodiscard]] Plan begin_plan(SortConfig const& config, KeySource const& source);

/// The buckets that the first pass refines: the whole input, or none if nothing is to be placed.
[[nodiscard]] std::vector<PlannedBucket> first_spanning(Plan const& plan);

/// Final buckets, ownership and sort groups, once no bucket of the last pass spans a border.
void finish_plan(Plan& plan);

} // namespace keyswap::model
