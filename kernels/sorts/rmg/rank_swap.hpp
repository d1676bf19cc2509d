#pragma once

/// \file The key swap of a sort whose GPUs are of several processes: each sends its own copies and
/// receives those for it.

#include "kernels/sorts/rmg/key_swap.hpp"

namespace keyswap::kernels {

/// Carries out this rank's part of the copies; afterwards its GPU's other buffer is current.
/// \pre context.ranks; every rank has the same plan, which is seen to before keys move
/// \throws CudaFailure, RankLost: ranks that decided otherwise are named
void swap_with_ranks(RunContext const& context, GpuState& gpu, SwapPlan const& plan);

} // namespace keyswap::kernels
