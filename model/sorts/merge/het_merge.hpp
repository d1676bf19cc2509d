#pragma once

#include "model/keys/key_source.hpp"
#include "model/sorts/merge/merge_plan.hpp"

namespace keyswap::model {

/// Plans HET merge sort: chunks are sorted on the GPUs and copied back; the CPU merges them all in
/// one multiway merge. Nothing depends on the keys.
/// Source: Gowanlock and Karsin, Sorting Large Datasets with Heterogeneous CPU/GPU Architectures,
/// IPDPSW 2018.
[[nodiscard]] Expected<MergePlan> plan_het_merge_sort(SortConfig const& config, KeySource& source);

} // namespace keyswap::model
