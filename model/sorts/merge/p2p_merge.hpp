#pragma once

#include "model/keys/key_source.hpp"
#include "model/sorts/merge/merge_plan.hpp"

namespace keyswap::model {

/// Plans P2P merge sort: the GPUs sort their chunks; two halves of the GPUs merge by exchanging
/// equal blocks around a pivot, then each half merges recursively, down to single GPUs.
/// \returns an error unless the number of GPUs is a power of two
/// Source: Tanasic et al., Comparison Based Sorting for Systems with Multiple GPUs, GPGPU-6 2013,
/// for more than two GPUs as in Maltenberger et al., Evaluating Multi-GPU Sorting with Modern
/// Interconnects, SIGMOD 2022.
[[nodiscard]] Expected<MergePlan> plan_p2p_merge_sort(SortConfig const& config, KeySource& source);

} // namespace keyswap::model
