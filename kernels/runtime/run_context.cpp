#include "kernels/runtime/run_context.hpp"

#include <algorithm>

namespace keyswap::kernels {

std::size_t table_size(std::uint32_t gpu_count, int digit_bits) {
    std::size_t const refined = std::max<std::size_t>(1, gpu_count - 1);
    return (gpu_count * refined) << digit_bits;
}

KeyRange chunk_of(RunContext const& context, GpuId gpu) {
    std::uint64_t const begin =
        std::min(context.key_count, std::uint64_t{gpu.value} * context.rule.chunk_size);
    return {begin, std::min(context.key_count - begin, context.rule.chunk_size)};
}

void await_stream(RunContext const& context, cudaStream_t stream, std::string_view step) {
    if (context.ranks == nullptr) {
        wait_for(stream);
    } else {
        context.ranks->wait(stream, step);
    }
}

void change_images(RunContext const& context, GpuState const& gpu, ImageChange change) {
    DeviceScope const scope{gpu.device};
    launch_image_change(
        gpu.stream, context.shape.key_bytes, gpu.keys(), gpu.count, context.code, change);
}

void encode_keys(RunContext const& context, std::vector<GpuState> const& gpus) {
    if (!context.code.is_identity()) {
        context.mark_chunks_overwritten();
    }
    for (GpuState const& gpu : gpus) {
        change_images(context, gpu, ImageChange::encode);
    }
}

void copy_to_host(RunContext const& context,
                  GpuState const& gpu,
                  cudaStream_t stream,
                  SortRangeRecord const& range,
                  int from,
                  std::uint64_t base,
                  Columns<void> const& host) {
    *context.input = InputState::lost;
    SortBuffers const at = buffers_at(gpu.buffers, context.shape, range.offset);
    auto const buffer = static_cast<std::size_t>(from);
    auto const copy = [&](void* array, void const* source, int element_bytes) {
        copy_bytes(stream,
                   element(array, element_bytes, base + range.offset),
                   source,
                   bytes_of(range.count, element_bytes));
    };
    copy(host.keys, at.keys[buffer], context.shape.key_bytes);
    copy(host.values, at.values[buffer], context.shape.value_bytes);
}

void copy_owned_to_host(RunContext const& context,
                        GpuState const& gpu,
                        OwnershipRecord const& owned,
                        Columns<void> const& host) {
    auto const phase = begin_phase(context, gpu, Phase::device_to_host);
    copy_to_host(context,
                 gpu,
                 gpu.stream,
                 {gpu.id, 0, owned.count, 0, 0},
                 gpu.buffers.current,
                 owned.base,
                 host);
    context.clock->end(phase);
}

} // namespace keyswap::kernels
