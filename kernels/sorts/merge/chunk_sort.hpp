#pragma once

/// \file First phase of the merge sorts: each GPU sorts its chunk. These sorts are the
/// baselines for RMG sort; they support any number of GPUs and chunks of any size. Source:
/// Maltenberger et al.: Evaluating Multi-GPU Sorting with Modern Interconnects, SIGMOD
/// 2022.

#include "kernels/runtime/sort_driver.hpp"

#include <vector>

namespace keyswap::kernels {

/// Encodes each GPU's chunk of raw keys, sorts it on all bits, and records the sorted runs.
/// \return the ownership: every GPU keeps the number of keys it had
[[nodiscard]] std::vector<OwnershipRecord> sort_chunks(RunContext const& context,
                                                       std::vector<GpuState>& gpus);

} // namespace keyswap::kernels
