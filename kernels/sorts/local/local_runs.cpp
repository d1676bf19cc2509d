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

namespace {

/// The sort of one GPU's rounds.
struct RoundProgress {
    std::uint32_t round = 0;
    std::vector<ArrivedSegment> arrived;
    std::optional<LocalSort> sort;
    bool is_queued = false; ///< a batch, whose sizes are waited for
};

} // namespace

void sort_arrived(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<LocalMemory const* const> memories,
                  std::span<SwapSegment const> segments,
                  std::uint32_t rounds,
                  LocalLevels levels,
                  RoundSteps const& steps) {
    std::deque<RoundProgress> progress(gpus.size());
    auto const begin_round = [&](std::size_t i) {
        RoundProgress& of_gpu = progress[i];
        steps.before(i, of_gpu.round);
        of_gpu.arrived = arrived_segments(segments, gpus[i].id, of_gpu.round);
        gpus[i].buffers.current = 0;
        of_gpu.sort.emplace(context, gpus[i], *memories[i], LocalWork{{}, of_gpu.arrived}, levels);
    };
    /// Queues what comes next, until there is something to wait for.
    auto const advance = [&](std::size_t i) {
        RoundProgress& of_gpu = progress[i];
        if (of_gpu.is_queued) {
            of_gpu.sort->await_batch();
            of_gpu.is_queued = false;
        }
        while (of_gpu.round < rounds && !of_gpu.is_queued) {
            if (!of_gpu.sort) {
                begin_round(i);
            }
            if (!of_gpu.sort->is_done()) {
                of_gpu.sort->queue_batch();
                of_gpu.is_queued = true;
            } else {
                steps.after(i, of_gpu.round);
                of_gpu.sort.reset();
                ++of_gpu.round;
            }
        }
    };
    auto const is_pending = [rounds](RoundProgress const& each) { return each.round < rounds; };
    while (std::ranges::any_of(progress, is_pending)) {
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            RoundProgress const& of_gpu = progress[i];
            if (is_pending(of_gpu) && (!of_gpu.is_queued || of_gpu.sort->is_batch_known())) {
                advance(i);
            }
        }
    }
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
