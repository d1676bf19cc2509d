#pragma once

#include "model/plan/sort_plan.hpp"
#include "model/sorts/rmg/plan.hpp"

namespace keyswap::model {

/// A plan of RMG sort, told as every sort's.
[[nodiscard]] SortPlanPointer rmg_sort_plan(Plan plan);

} // namespace keyswap::model
