#include "kernels/runtime/gpu_state.hpp"

namespace keyswap::kernels {

void copy_elements(cudaStream_t stream,
                   ElementShape shape,
                   BufferPlace const& from,
                   BufferPlace const& to,
                   std::uint64_t count) {
    auto const source = static_cast<std::size_t>(from.buffer);
    auto const destination = static_cast<std::size_t>(to.buffer);
    SortBuffers const out = buffers_at(from.gpu.buffers, shape, from.offset);
    SortBuffers const in = buffers_at(to.gpu.buffers, shape, to.offset);
    auto const copy = [&](void* to_array, void const* from_array, int element_bytes) {
        copy_async(stream,
                   to.gpu.device,
                   to_array,
                   from.gpu.device,
                   from_array,
                   bytes_of(count, element_bytes));
    };
    copy(in.keys[destination], out.keys[source], shape.key_bytes);
    copy(in.values[destination], out.values[source], shape.value_bytes);
}

void copy_to_other_buffer(GpuState const& gpu, ElementShape shape, KeyRange range, int from) {
    copy_elements(
        gpu.stream, shape, {gpu, from, range.offset}, {gpu, 1 - from, range.offset}, range.count);
}

void join_streams(std::vector<GpuState> const& gpus) {
    if (gpus.size() < 2) {
        return;
    }
    // Via the first GPU: 2g calls instead of g^2.
    GpuState const& hub = gpus.front();
    for (std::size_t i = 1; i < gpus.size(); ++i) {
        gpus[i].resources->ready.record(gpus[i].stream);
        gpus[i].resources->ready.make_wait(hub.stream);
    }
    hub.resources->ready.record(hub.stream);
    for (std::size_t i = 1; i < gpus.size(); ++i) {
        hub.resources->ready.make_wait(gpus[i].stream);
    }
}

} // namespace keyswap::kernels
