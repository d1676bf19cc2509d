#pragma once

#include "model/plan/sort_plan.hpp"
#include "model/sorts/rmg/plan.hpp"

namespace keyswap::model {

/// A plan of RMG sort in the form of every sort's plan.
[[nodiscard]] SortPlanPointer rmg_sort_plan(Plan plan);

} // namespace keyswap::model
