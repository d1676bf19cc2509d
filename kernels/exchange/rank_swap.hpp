#pragma once

/// \file The key swap of a sort whose GPUs belong to several processes: each rank copies to the
/// others' buffers if all are shared; otherwise it sends its copies and receives those addressed to
/// it.

#include "kernels/runtime/run_context.hpp"
#include "traces/records/records.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// Buffers for arriving keys of all ranks, in this process's address space: [rank]; empty if keys
/// are sent as messages because a rank's buffer is not shared (RankTransport::share_memory). The
/// same on all ranks.
using PeerBuffers = std::vector<Columns<void>>;

/// Verifies, before keys move, that all ranks have the same plan, and finds each rank's buffer
/// `to`. \pre context.ranks \throws CudaFailure, RankLost: the message names ranks with a different
/// plan
[[nodiscard]] PeerBuffers agree_on_swap(RunContext const& context,
                                        GpuState const& gpu,
                                        std::span<OwnershipRecord const> ownership,
                                        std::span<CopyRecord const> copies,
                                        std::size_t to);

/// Queues this rank's copies in the stream, from buffer `from` of each source to the other buffer
/// of each destination: to itself and, with `peers`, to the other ranks, else sends and receives.
/// With `peers`, a barrier of all ranks must precede and follow. \param peers of the destination
/// buffer \param step named in error messages \throws CudaFailure, RankLost
void exchange_copies(RunContext const& context,
                     GpuState const& gpu,
                     cudaStream_t stream,
                     std::span<CopyRecord const> copies,
                     std::size_t from,
                     PeerBuffers const& peers,
                     std::string_view step);

/// Runs this rank's part of the copies; afterwards its GPU's other buffer is current.
/// \pre context.ranks. Verifies first that all ranks have the same plan.
/// \throws CudaFailure, RankLost: the message names ranks with a different plan
void swap_with_ranks(RunContext const& context,
                     GpuState& gpu,
                     std::span<OwnershipRecord const> ownership,
                     std::span<CopyRecord const> copies);

} // namespace keyswap::kernels
