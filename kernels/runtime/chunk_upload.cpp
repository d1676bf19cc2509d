#include "kernels/runtime/chunk_upload.hpp"

#include "kernels/exchange_plan/upload_pieces.hpp"
#include "kernels/faults/device_faults.hpp"

namespace keyswap::kernels {

void upload_range(
    cudaStream_t stream, void* to, void const* from, int element_bytes, KeyRange const& range) {
    copy_bytes(stream,
               element(to, element_bytes, range.offset),
               element(from, element_bytes, range.offset),
               bytes_of(range.count, element_bytes));
}

void start_upload(RunContext const& context, GpuState& gpu, Columns<void> const& chunk) {
    GpuResources const& resources = *gpu.resources;
    cudaStream_t const stream = resources.copy_stream.get();
    std::size_t const pieces = upload_piece_count(gpu.count, context.tuning.rounds_min);
    ChunkUpload& upload = gpu.upload.emplace();
    upload.host_keys = chunk.keys;
    resources.ready.record(gpu.stream);
    resources.ready.make_wait(stream);
    auto const phase = context.clock->begin(gpu.id, gpu.device, stream, Phase::host_to_device, 0);
    for (std::size_t i = 0; i < pieces; ++i) {
        std::uint64_t const begin = upload_piece_begin(gpu.count, pieces, i);
        KeyRange const piece{begin, upload_piece_begin(gpu.count, pieces, i + 1) - begin};
        upload_range(stream, gpu.buffers.keys[0], chunk.keys, context.shape.key_bytes, piece);
        resources.piece_uploaded[i].record(stream);
        upload.pieces.push_back(piece);
    }
    upload_range(
        stream, gpu.buffers.values[0], chunk.values, context.shape.value_bytes, {0, gpu.count});
    context.clock->end(phase);
    // Recorded after the phase has ended, so that its time is available after a wait.
    resources.uploaded.record(stream);
}

void await_piece(GpuState const& gpu, std::size_t piece) {
    if (!has_fault(DeviceFault::upload_piece_not_awaited)) {
        gpu.resources->piece_uploaded[piece].make_wait(gpu.stream);
    }
}

void await_upload(GpuState const& gpu) {
    if (gpu.upload) {
        gpu.resources->uploaded.make_wait(gpu.stream);
    }
}

} // namespace keyswap::kernels
