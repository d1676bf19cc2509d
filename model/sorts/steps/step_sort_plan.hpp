#pragma once

#include "model/plan/sort_plan.hpp"
#include "traces/records/bucket_function.hpp"

#include <vector>

namespace keyswap::model {

/// A sort of all keys by stable partitions, one after the other. Its replay
/// carries each out as a stable counting sort, and digests the whole sequence after each.
/// \param steps the functions, whose buckets together order the keys
/// \return an error for any number of GPUs but one
[[nodiscard]] Expected<SortPlanPointer> step_sort_plan(SortConfig const& config,
                                                       std::vector<BucketFunction> steps);

} // namespace keyswap::model
