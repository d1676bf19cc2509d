#pragma once

#include "model/key_source.hpp"
#include "model/plan.hpp"
#include "model/sort_config.hpp"

namespace keyswap::model {

/// Plans an RMG sort: chunks, partitioning passes until no bucket spans, cuts after the last pass,
/// the key swap's ownership, and the bucket sort's groups. One GPU needs no pass.
/// \pre config is validated; source.key_count() == config.key_count
/// Source: RMG paper, section 3; design section 3.
[[nodiscard]] Plan plan_rmg_sort(SortConfig const& config, KeySource& source);

} // namespace keyswap::model
