#pragma once

/// \file A chunk on its way from host memory, in pieces, so that what has come can be counted while
/// the rest has not. Its copies are queued in the GPU's copy stream: keys piece by piece, then all
/// values.

#include "kernels/runtime/run_context.hpp"

#include <cstddef>

namespace keyswap::kernels {

/// Queues a copy of elements from a host array to the same places of a GPU's, if there are any.
/// \param element_bytes 0 where there are no such arrays
void upload_range(
    cudaStream_t stream, void* to, void const* from, int element_bytes, KeyRange const& range);

/// Queues the copies of a GPU's chunk to buffer 0, behind what its stream holds, and lists
/// them in GpuState::upload. What comes next in the GPU's stream does not wait for them.
/// \param chunk the GPU's keys and values, which may be null without
void start_upload(RunContext const& context, GpuState& gpu, HostArrays const& chunk);

/// The GPU's stream waits for a piece of keys. \pre gpu.upload has the piece
void await_piece(GpuState const& gpu, std::size_t piece);

/// The GPU's stream waits for all that is on its way, values too; for nothing if nothing is.
void await_upload(GpuState const& gpu);

} // namespace keyswap::kernels
