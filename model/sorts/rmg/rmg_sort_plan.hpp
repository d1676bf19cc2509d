#pragma once

#include "model/plan/sort_plan.hpp"
#include "model/sorts/rmg/plan.hpp"

namespace keyswap::model {

/// Adapts a plan of RMG sort to the interface that all sorts share.
[[nodiscard]] SortPlanPointer rmg_sort_plan(Plan plan);

} // namespace keyswap::model
