#pragma once

/// \file The key swap of a sort whose GPUs are of several processes: each sends its own copies and
/// receives those for it.

#include "kernels/runtime/run_context.hpp"
#include "traces/records/records.hpp"

#include <span>
#include <string_view>

namespace keyswap::kernels {

/// Sees to it that every rank has the same plan before keys move. \pre context.ranks
/// \throws CudaFailure, RankLost: ranks that decided otherwise are named
void expect_same_plan(RunContext const& context,
                      GpuState const& gpu,
                      std::span<OwnershipRecord const> ownership,
                      std::span<CopyRecord const> copies);

/// The buffers of a swap: keys are sent from one of the source's to one of the destination's.
struct SwapBuffers {
    std::size_t from = 0;
    std::size_t to = 1;
};
/// Carries out this rank's part of copies between ranks, and those that stay on it, behind what the
/// stream holds. \param step in the words of an error \throws CudaFailure, RankLost
void exchange_copies(RunContext const& context,
                     GpuState const& gpu,
                     cudaStream_t stream,
                     std::span<CopyRecord const> copies,
                     SwapBuffers buffers,
                     std::string_view step);

/// Carries out this rank's part of the copies; afterwards its GPU's other buffer is current.
/// \pre context.ranks; every rank has the same plan, which is seen to before keys move
/// \throws CudaFailure, RankLost: ranks that decided otherwise are named
void swap_with_ranks(RunContext const& context,
                     GpuState& gpu,
                     std::span<OwnershipRecord const> ownership,
                     std::span<CopyRecord const> copies);

} // namespace keyswap::kernels
