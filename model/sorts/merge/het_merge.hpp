#pragma once

#include "model/keys/key_source.hpp"
#include "model/sorts/merge/merge_plan.hpp"

namespace keyswap::model {

/// Plans HET merge sort: the GPUs sort their chunks and copy them back; the CPU merges all of them
/// in one multiway merge. The plan does not depend on the keys.
/// Source: Gowanlock and Karsin, Sorting Large Datasets with Heterogeneous CPU/GPU Architectures,
/// IPDPSW 2018.
[[nodiscard]] Expected<MergePlan> plan_het_merge_sort(SortConfig const& config, KeySource& source);

} // namespace keyswap::model
