#include "kernels/sorts/local/local_runs.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Keys of a piece whose copy to the host hides the sort of the next one; 0 where there are too few
/// keys for pieces.
std::uint64_t piece_keys(SortOptions const& options, std::uint64_t count) {
    constexpr std::uint64_t pieces = 8;
    // A piece takes some 0.1 ms however few keys it has.
    std::uint64_t const least = options.digits_min.value_or(std::uint64_t{1} << 23);
    return count < std::max(least, pieces) ? 0 : count / pieces;
}

/// Copies a GPU's keys to the host, piece by piece as they are sorted.
class CopyBack {
  public:
    CopyBack(RunContext const& context,
             GpuState const& gpu,
             OwnershipRecord owned,
             HostArrays const& host)
        : context_(context), gpu_(gpu), owned_(owned), host_(host) {}

    /// \param end of what is in its place once all that is queued is done
    void copy_up_to(std::uint64_t end) {
        if (end <= copied_) {
            return;
        }
        cudaStream_t const stream = gpu_.resources->copy_stream.get();
        DeviceScope const scope{gpu_.device};
        gpu_.resources->group_sorted.record(gpu_.stream);
        if (!has_fault(DeviceFault::piece_not_awaited)) {
            gpu_.resources->group_sorted.make_wait(stream);
        }
        copy_to_host(context_,
                     gpu_,
                     stream,
                     {gpu_.id, copied_, end - copied_, 0, 0},
                     gpu_.buffers.current,
                     owned_.base,
                     host_);
        copied_ = end;
    }
    /// What comes next on the GPU's stream is after all copies.
    void finish() {
        copy_up_to(owned_.count);
        gpu_.resources->group_sorted.record(gpu_.resources->copy_stream.get());
        gpu_.resources->group_sorted.make_wait(gpu_.stream);
    }

  private:
    RunContext const& context_;
    GpuState const& gpu_;
    OwnershipRecord owned_;
    HostArrays const& host_;
    std::uint64_t copied_ = 0;
};

} // namespace

void run_together(std::deque<LocalSort>& sorts, std::function<void(std::size_t)> const& awaited) {
    auto const is_pending = [](LocalSort const& sort) { return !sort.is_done(); };
    while (std::ranges::any_of(sorts, is_pending)) {
        std::vector<std::size_t> queued;
        for (std::size_t i = 0; i < sorts.size(); ++i) {
            if (is_pending(sorts[i])) {
                sorts[i].queue_batch();
                queued.push_back(i);
            }
        }
        for (std::size_t const i : queued) {
            sorts[i].await_batch();
            if (awaited) {
                awaited(i);
            }
        }
    }
}

void sort_arrived(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<LocalMemory const* const> memories,
                  std::span<SwapSegment const> segments,
                  std::uint32_t round,
                  LocalLevels levels) {
    std::deque<std::vector<ArrivedSegment>> arrived;
    std::deque<LocalSort> sorts;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        arrived.push_back(arrived_segments(segments, gpus[i].id, round));
        gpus[i].buffers.current = 0;
        sorts.emplace_back(context, gpus[i], *memories[i], LocalWork{{}, arrived.back()}, levels);
    }
    run_together(sorts);
}

void sort_locally(SortCall const& call, SwapPlan const& plan, LocalLevels levels) {
    NvtxRange const nvtx{"bucket sort"};
    RunContext const& context = call.context;
    context.mark_chunks_overwritten();
    std::deque<LocalSort> sorts;
    std::deque<std::optional<CopyBack>> copies; // where keys go back in pieces
    std::vector<OpenPhase> phases;
    std::span<SortRangeRecord const> const ranges = plan.ranges;
    for (GpuState& gpu : call.gpus) {
        OwnershipRecord const& owned = plan.ownership[gpu.id.value];
        std::uint64_t const piece =
            call.host.has_value() ? piece_keys(call.options, owned.count) : 0;
        Phase const phase = piece > 0 ? Phase::bucket_sort_and_copy_back : Phase::bucket_sort;
        phases.push_back(context.clock->begin(gpu.id, gpu.device, gpu.stream, phase, 0));
        auto const begin = std::ranges::lower_bound(ranges, gpu.id, {}, &SortRangeRecord::gpu);
        auto const end = std::ranges::upper_bound(ranges, gpu.id, {}, &SortRangeRecord::gpu);
        sorts.emplace_back(
            context, gpu, local_memory(gpu), LocalWork{std::span{begin, end}, {}, piece}, levels);
        copies.emplace_back();
        if (piece > 0) {
            copies.back().emplace(context, gpu, owned, *call.host);
        }
    }
    run_together(sorts, [&](std::size_t i) {
        if (copies[i]) {
            copies[i]->copy_up_to(sorts[i].sorted_end());
        }
    });
    for (std::size_t i = 0; i < sorts.size(); ++i) {
        GpuState const& gpu = call.gpus[i];
        DeviceScope const scope{gpu.device};
        if (copies[i]) {
            copies[i]->finish();
        }
        context.clock->end(phases[i]);
        OwnershipRecord const& owned = plan.ownership[gpu.id.value];
        if (call.host.has_value() && !copies[i] && owned.count > 0) {
            copy_owned_to_host(context, gpu, owned, *call.host);
        }
    }
}

} // namespace keyswap::kernels
