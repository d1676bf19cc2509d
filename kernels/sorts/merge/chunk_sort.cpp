#include "kernels/sorts/merge/chunk_sort.hpp"

namespace keyswap::kernels {

std::vector<OwnershipRecord> sort_chunks(RunContext const& context, std::vector<GpuState>& gpus) {
    NvtxRange const nvtx{"chunk sort"};
    context.mark_chunks_overwritten();
    std::vector<OwnershipRecord> ownership;
    std::uint64_t base = 0;
    for (GpuState& gpu : gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase = begin_phase(context, gpu, Phase::sort);
        change_images(context, gpu, ImageChange::encode);
        gpu.buffers.current = launch_radix_sort(gpu.stream,
                                                context.shape,
                                                gpu.buffers,
                                                gpu.count,
                                                {0, context.key_shape.key_bits},
                                                gpu.resources->sort_temp.data(),
                                                gpu.resources->sort_temp.size());
        context.clock->end(phase);
        ownership.push_back({gpu.id, base, gpu.count});
        base += gpu.count;
    }
    write_records(context, ownership);
    if (context.trace != nullptr) {
        for (OwnershipRecord const& record : ownership) {
            if (record.count > 0) {
                context.trace->write(
                    SortRangeRecord{record.gpu, 0, record.count, 0, context.key_shape.key_bits});
            }
        }
    }
    return ownership;
}

} // namespace keyswap::kernels
