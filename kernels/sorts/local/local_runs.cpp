#include "kernels/sorts/local/local_runs.hpp"

#include "kernels/device/stream.hpp"

#include <algorithm>

namespace keyswap::kernels {

void run_together(std::deque<LocalSort>& sorts) {
    auto const is_pending = [](LocalSort const& sort) { return !sort.is_done(); };
    while (std::ranges::any_of(sorts, is_pending)) {
        std::vector<LocalSort*> queued;
        for (LocalSort& sort : sorts) {
            if (is_pending(sort)) {
                sort.queue_batch();
                queued.push_back(&sort);
            }
        }
        for (LocalSort* const sort : queued) {
            sort->await_batch();
        }
    }
}

void sort_locally(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<SortRangeRecord const> ranges,
                  LocalLevels levels) {
    NvtxRange const nvtx{"bucket sort"};
    context.mark_chunks_overwritten();
    std::deque<LocalSort> sorts;
    std::vector<OpenPhase> phases;
    for (GpuState& gpu : gpus) {
        phases.push_back(
            context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::bucket_sort, 0));
        auto const begin = std::ranges::lower_bound(ranges, gpu.id, {}, &SortRangeRecord::gpu);
        auto const end = std::ranges::upper_bound(ranges, gpu.id, {}, &SortRangeRecord::gpu);
        sorts.emplace_back(
            context, gpu, local_memory(gpu), LocalWork{std::span{begin, end}, {}}, levels);
    }
    run_together(sorts);
    for (OpenPhase const& phase : phases) {
        context.clock->end(phase);
    }
}

void copy_ranges_back(RunContext const& context,
                      std::vector<GpuState> const& gpus,
                      std::span<OwnershipRecord const> ownership,
                      HostArrays const& host) {
    for (GpuState const& gpu : gpus) {
        OwnershipRecord const& owned = ownership[gpu.id.value];
        if (owned.count == 0) {
            continue;
        }
        DeviceScope const scope{gpu.device};
        copy_owned_to_host(context, gpu, owned, host);
    }
}

} // namespace keyswap::kernels
