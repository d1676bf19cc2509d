#include "kernels/runtime/gpu_state.hpp"

namespace keyswap::kernels {

void copy_to_other_buffer(GpuState const& gpu, ElementShape shape, KeyRange range, int from) {
    SortBuffers const at = buffers_at(gpu.buffers, shape, range.offset);
    auto const source = static_cast<std::size_t>(from);
    auto const destination = static_cast<std::size_t>(1 - from);
    copy_async(gpu.stream,
               gpu.device,
               at.keys[destination],
               gpu.device,
               at.keys[source],
               bytes_of(range.count, shape.key_bytes));
    copy_async(gpu.stream,
               gpu.device,
               at.values[destination],
               gpu.device,
               at.values[source],
               bytes_of(range.count, shape.value_bytes));
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
