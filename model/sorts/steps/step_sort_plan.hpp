#pragma once

#include "model/plan/sort_plan.hpp"
#include "traces/records/bucket_function.hpp"

#include <vector>

namespace keyswap::model {

/// Plans a sort of all keys by a sequence of stable partitions. Its replay executes each as a
/// stable counting sort, and digests the whole sequence after each.
/// \param steps bucket functions that together order the keys
/// \return an error unless the number of GPUs is one
[[nodiscard]] Expected<SortPlanPointer> step_sort_plan(SortConfig const& config,
                                                       std::vector<BucketFunction> steps);

} // namespace keyswap::model
