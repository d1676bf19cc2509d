#pragma once

/// \file The key swap of a sort whose GPUs belong to several processes: each rank sends its copies
/// and receives those addressed to it.

#include "kernels/runtime/run_context.hpp"
#include "traces/records/records.hpp"

#include <span>
#include <string_view>

namespace keyswap::kernels {

/// Verifies, before keys move, that all ranks have the same plan. \pre context.ranks
/// \throws CudaFailure, RankLost: the message names ranks with a different plan
void expect_same_plan(RunContext const& context,
                      GpuState const& gpu,
                      std::span<OwnershipRecord const> ownership,
                      std::span<CopyRecord const> copies);

/// Buffers of a swap: from buffer `from` of each source to buffer `to` of each destination.
struct SwapBuffers {
    std::size_t from = 0;
    std::size_t to = 1;
};
/// Queues this rank's sends, receives and local copies in the stream. \param step named in error
/// messages \throws CudaFailure, RankLost
void exchange_copies(RunContext const& context,
                     GpuState const& gpu,
                     cudaStream_t stream,
                     std::span<CopyRecord const> copies,
                     SwapBuffers buffers,
                     std::string_view step);

/// Runs this rank's part of the copies; afterwards its GPU's other buffer is current.
/// \pre context.ranks. Verifies first that all ranks have the same plan.
/// \throws CudaFailure, RankLost: the message names ranks with a different plan
void swap_with_ranks(RunContext const& context,
                     GpuState& gpu,
                     std::span<OwnershipRecord const> ownership,
                     std::span<CopyRecord const> copies);

} // namespace keyswap::kernels
