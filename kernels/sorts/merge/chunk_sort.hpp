#pragma once

/// \file What the merge sorts begin with: each GPU sorts its chunk. Both are what RMG sort is
/// measured against; they take any number of GPUs and chunks of any size.
/// Source: Maltenberger et al.: Evaluating Multi-GPU Sorting with Modern Interconnects, SIGMOD
/// 2022.

#include "kernels/runtime/sort_driver.hpp"

#include <vector>

namespace keyswap::kernels {

/// Sorts each GPU's chunk of raw keys by their images, on all bits, and records the sorted runs.
/// \return them: each GPU keeps as many keys as it had
[[nodiscard]] std::vector<OwnershipRecord> sort_chunks(RunContext const& context,
                                                       std::vector<GpuState>& gpus);

} // namespace keyswap::kernels
