#include "kernels/local/local_runs.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/upload_pieces.hpp"
#include "kernels/faults/device_faults.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

namespace keyswap::kernels {

namespace {

/// Keys of a piece whose download overlaps the sort of the next one; 0 if there are too few keys
/// for pieces.
std::uint64_t piece_keys(SortOptions const& options, std::uint64_t count) {
    std::size_t const pieces = upload_piece_count(count, options.tuning.digits_min);
    return pieces < 2 ? 0 : count / pieces;
}

/// Downloads a GPU's keys piece by piece as they are sorted.
class CopyBack {
  public:
    CopyBack(RunContext const& context,
             GpuState const& gpu,
             OwnershipRecord owned,
             Columns<void> const& host)
        : context_(context), gpu_(gpu), owned_(owned), host_(host) {}

    /// \param end keys before it are final once all queued work has finished
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
    /// Makes the GPU's stream wait for all copies.
    void finish() {
        copy_up_to(owned_.count);
        gpu_.resources->group_sorted.record(gpu_.resources->copy_stream.get());
        gpu_.resources->group_sorted.make_wait(gpu_.stream);
    }

  private:
    RunContext const& context_;
    GpuState const& gpu_;
    OwnershipRecord owned_;
    Columns<void> const& host_;
    std::uint64_t copied_ = 0;
};

/// Keeps several GPUs busy, each at its own pace: queues a batch per GPU, and a GPU's next batch
/// once the sizes of the last one are known. Leaves of a known batch are queued before another
/// GPU's next batch, which takes longer to queue: meanwhile that GPU has leaves to sort.
/// \param next_of the sort of a GPU with a batch to queue; null if it has finished
/// \param awaited called after each await_batch()
template <class NextOf, class Awaited>
void run_interleaved(std::size_t gpu_count, NextOf next_of, Awaited awaited) {
    std::vector<LocalSort*> queued(gpu_count); // sorts whose batch sizes are unknown
    std::deque<std::size_t> idle(gpu_count);   // GPUs without a batch
    std::iota(idle.begin(), idle.end(), std::size_t{0});
    std::size_t unknown = 0;
    while (!idle.empty() || unknown > 0) {
        if (!idle.empty()) {
            std::size_t const i = idle.front();
            idle.pop_front();
            queued[i] = next_of(i);
            if (queued[i] != nullptr) {
                queued[i]->queue_batch();
                ++unknown;
            }
        }
        for (std::size_t i = 0; i < gpu_count; ++i) {
            if (queued[i] != nullptr && queued[i]->is_batch_ready()) {
                std::exchange(queued[i], nullptr)->await_batch();
                --unknown;
                awaited(i);
                idle.push_back(i);
            }
        }
    }
}

/// The sort of one GPU's rounds.
struct RoundProgress {
    std::uint32_t round = 0;
    std::vector<ArrivedSegment> arrived;
    std::optional<LocalSort> sort;
};

} // namespace

void sort_arrived(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<LocalMemory const* const> memories,
                  std::span<SwapSegment const> segments,
                  std::uint32_t rounds,
                  LocalLevels levels,
                  RoundSteps const& steps,
                  std::span<LeadingCounts const> leading) {
    std::deque<RoundProgress> progress(gpus.size());
    auto const next_of = [&](std::size_t i) -> LocalSort* {
        RoundProgress& of_gpu = progress[i];
        for (; of_gpu.round < rounds; ++of_gpu.round) {
            if (!of_gpu.sort) {
                steps.before(i, of_gpu.round);
                of_gpu.arrived = arrived_segments(segments, gpus[i].id, of_gpu.round);
                gpus[i].buffers.current = 0;
                LocalWork work{{}, of_gpu.arrived};
                work.leading = leading.empty() ? LeadingCounts{} : leading[i];
                of_gpu.sort.emplace(context, gpus[i], *memories[i], work, levels);
            }
            if (!of_gpu.sort->is_done()) {
                return &*of_gpu.sort;
            }
            steps.after(i, of_gpu.round);
            of_gpu.sort.reset();
        }
        return nullptr;
    };
    run_interleaved(gpus.size(), next_of, [](std::size_t) {});
}

void sort_locally(SortCall const& call, SwapPlan const& plan, LocalLevels levels) {
    NvtxRange const nvtx{"bucket sort"};
    RunContext const& context = call.context;
    context.mark_chunks_overwritten();
    std::deque<LocalSort> sorts;
    std::deque<std::optional<CopyBack>> copies; // nullopt: not downloaded in pieces
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
    auto const next_of = [&sorts](std::size_t i) {
        return sorts[i].is_done() ? nullptr : &sorts[i];
    };
    run_interleaved(sorts.size(), next_of, [&](std::size_t i) {
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
