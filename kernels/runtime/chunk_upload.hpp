#pragma once

/// \file The upload of a chunk from host memory in pieces, so that arrived pieces can be counted
/// before the upload has finished. Copies are queued in the GPU's copy stream: keys by piece, then
/// all values.

#include "kernels/runtime/run_context.hpp"

#include <cstddef>

namespace keyswap::kernels {

/// Queues the upload of a range of elements to the same indices; no effect for element_bytes == 0.
/// \param element_bytes 0 if there is no such array
void upload_range(
    cudaStream_t stream, void* to, void const* from, int element_bytes, KeyRange const& range);

/// Queues the upload of a GPU's chunk to buffer 0, after all work in the GPU's stream, and
/// describes it in GpuState::upload. Later work in the GPU's stream does not wait for it.
/// \param chunk the GPU's keys and values; `values` is null without values
void start_upload(RunContext const& context, GpuState& gpu, Columns<void> const& chunk);

/// Makes the GPU's stream wait for a piece of keys. \pre gpu.upload has the piece
void await_piece(GpuState const& gpu, std::size_t piece);

/// Makes the GPU's stream wait for the whole upload, including values; no effect without one.
void await_upload(GpuState const& gpu);

} // namespace keyswap::kernels
