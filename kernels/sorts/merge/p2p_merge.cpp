/// \file P2P merge sort (Tanasic et al., GPGPU-6 2013): merges sorted chunks by swaps between
/// GPUs.

#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/merge/merge_kernels.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "kernels/sorts/merge/chunk_sort.hpp"
#include "kernels/sorts/merge/merge_stages.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

ChunkedRun run_of(std::vector<GpuState> const& gpus, std::uint32_t first, std::uint32_t last) {
    ChunkedRun run;
    run.chunk_size = std::max<std::uint64_t>(1, gpus[first].count);
    for (std::uint32_t gpu = first; gpu < last; ++gpu) {
        SortBuffers const& buffer = gpus[gpu].buffers;
        run.chunk[gpu - first] = buffer.keys[static_cast<std::size_t>(buffer.current)];
        run.count += gpus[gpu].count;
    }
    return run;
}

/// Keys that each merge of a stage swaps: the GPUs search, the host waits for the results.
std::vector<std::uint64_t> swap_counts(RunContext const& context,
                                       std::vector<GpuState> const& gpus,
                                       std::vector<GroupMerge> const& stage) {
    auto const host = context.exchange->host_table.span();
    join_streams(gpus); // a search reads chunks of other GPUs
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 0; i < stage.size(); ++i) {
        GroupMerge const& merge = stage[i];
        GpuState const& gpu = gpus[merge.first];
        DeviceScope const scope{gpu.device};
        std::uint64_t* const result = gpu.resources->counts.data();
        launch_swap_count(gpu.stream,
                          context.shape.key_bytes,
                          run_of(gpus, merge.first, merge.middle),
                          run_of(gpus, merge.middle, merge.last),
                          result);
        copy_array(gpu.stream, &host[i], result, 1);
    }
    for (std::size_t i = 0; i < stage.size(); ++i) {
        wait_for(gpus[stage[i].first].stream);
        bool const too_few = has_fault(DeviceFault::short_exchange) && host[i] > 0;
        counts.push_back(too_few ? host[i] - 1 : host[i]);
    }
    return counts;
}

/// Keys of a GPU that a stage replaces: [begin, end) of its chunk.
struct Replaced {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Queues the copies of an exchange to the other buffers and extends `replaced`.
void swap_chunks(RunContext const& context,
                 std::vector<GpuState> const& gpus,
                 int stage,
                 std::vector<ChunkSwap> const& swaps,
                 std::vector<Replaced>& replaced) {
    auto const extend = [&replaced](std::uint32_t gpu, std::uint64_t begin, std::uint64_t end) {
        Replaced& range = replaced[gpu];
        range = range.begin == range.end
                    ? Replaced{begin, end}
                    : Replaced{std::min(range.begin, begin), std::max(range.end, end)};
    };
    for (ChunkSwap const& swap : swaps) {
        GpuState const& left = gpus[swap.left];
        GpuState const& right = gpus[swap.right];
        auto const copy_to_other = [&](GpuState const& from,
                                       std::uint64_t from_offset,
                                       GpuState const& to,
                                       std::uint64_t to_offset) {
            copy_elements(from.stream,
                          context.shape,
                          {from, from.buffers.current, from_offset},
                          {to, 1 - to.buffers.current, to_offset},
                          swap.count);
        };
        copy_to_other(left, swap.left_offset, right, swap.right_offset);
        copy_to_other(right, swap.right_offset, left, swap.left_offset);
        extend(swap.left, swap.left_offset, swap.left_offset + swap.count);
        extend(swap.right, swap.right_offset, swap.right_offset + swap.count);
        if (context.trace != nullptr) {
            context.trace->write(CopyRecord{
                left.id, swap.left_offset, right.id, swap.right_offset, swap.count, stage});
            context.trace->write(CopyRecord{
                right.id, swap.right_offset, left.id, swap.left_offset, swap.count, stage});
        }
    }
}

/// Copies the keys that a GPU keeps next to the arrivals. \pre the range is not empty
void copy_kept_keys(RunContext const& context, GpuState const& gpu, Replaced replaced) {
    KeyRange const before{0, replaced.begin};
    KeyRange const after{replaced.end, gpu.count - replaced.end};
    for (KeyRange const& kept : {before, after}) {
        copy_to_other_buffer(gpu, context.shape, kept, gpu.buffers.current);
    }
}

/// Merges kept keys and arrivals into one run. \pre the range is not empty
void merge_chunk(RunContext const& context, GpuState& gpu, int stage, Replaced replaced) {
    bool const all = replaced.begin == 0 && replaced.end == gpu.count;
    if (all) {
        gpu.buffers.current = 1 - gpu.buffers.current;
        return;
    }
    // A swap replaces the end or the beginning of a chunk, so the chunk consists of two runs.
    std::uint64_t const border = replaced.begin == 0 ? replaced.end : replaced.begin;
    auto const from = static_cast<std::size_t>(1 - gpu.buffers.current);
    auto const to = static_cast<std::size_t>(gpu.buffers.current);
    SortBuffers const second = buffers_at(gpu.buffers, context.shape, border);
    MergeRuns runs;
    runs.keys[0] = gpu.buffers.keys[from];
    runs.keys[1] = second.keys[from];
    runs.values[0] = gpu.buffers.values[from];
    runs.values[1] = second.values[from];
    runs.count[0] = border;
    runs.count[1] = gpu.count - border;
    runs.keys_out = gpu.buffers.keys[to];
    runs.values_out = gpu.buffers.values[to];
    if (context.trace != nullptr) {
        context.trace->write(MergeRecord{stage, gpu.id, 0, {runs.count[0], runs.count[1]}});
    }
    DeviceScope const scope{gpu.device};
    launch_merge(gpu.stream,
                 context.shape,
                 runs,
                 gpu.resources->sort_temp.data(),
                 gpu.resources->sort_temp.size());
}

void run_stage(RunContext const& context,
               std::vector<GpuState>& gpus,
               int number,
               std::vector<GroupMerge> const& stage,
               std::vector<std::uint64_t> const& counts) {
    NvtxRange const nvtx{"merge stage"};
    std::vector<OpenPhase> phases;
    for (GpuState const& gpu : gpus) {
        phases.push_back(begin_phase(context, gpu, Phase::merge));
    }
    std::vector<std::uint64_t> const swap_count = swap_counts(context, gpus, stage);
    std::vector<Replaced> replaced(gpus.size());
    for (std::size_t i = 0; i < stage.size(); ++i) {
        swap_chunks(context, gpus, number, chunk_swaps(stage[i], counts, swap_count[i]), replaced);
    }
    for (GpuState const& gpu : gpus) {
        if (replaced[gpu.id.value].end > 0) {
            copy_kept_keys(context, gpu, replaced[gpu.id.value]);
        }
    }
    join_streams(gpus);
    for (GpuState& gpu : gpus) {
        if (replaced[gpu.id.value].end > 0) {
            merge_chunk(context, gpu, number, replaced[gpu.id.value]);
        }
    }
    for (OpenPhase const& phase : phases) {
        context.clock->end(phase);
    }
}

/// Queues the download of each GPU's keys to their location in host memory.
void copy_back(RunContext const& context,
               std::vector<GpuState> const& gpus,
               std::vector<OwnershipRecord> const& ownership,
               Columns<void> const& host) {
    for (GpuState const& gpu : gpus) {
        copy_owned_to_host(context, gpu, {gpu.id, ownership[gpu.id.value].base, gpu.count}, host);
    }
}

SortScratch merge_scratch(SortOptions const& options, std::uint64_t capacity) {
    return {merge_temp_bytes(element_shape(options), capacity), 0};
}

SortOutcome sort_by_p2p_merge(SortCall const& call) {
    RunContext const& context = call.context;
    std::vector<GpuState>& gpus = call.gpus;
    std::vector<OwnershipRecord> ownership = sort_chunks(context, gpus);
    std::vector<std::uint64_t> counts;
    for (GpuState const& gpu : gpus) {
        counts.push_back(gpu.count);
    }
    int number = 0;
    for (auto const& stage : merge_stages(static_cast<std::uint32_t>(gpus.size()))) {
        run_stage(context, gpus, number++, stage, counts);
    }
    for (GpuState const& gpu : gpus) {
        change_images(context, gpu, ImageChange::decode);
    }
    if (call.host) {
        copy_back(context, gpus, ownership, *call.host);
    }
    return {0, ownership};
}

} // namespace

SortDriver const& p2p_merge_driver() {
    static constexpr SortDriver driver{
        "p2p-merge", true, merge_scratch, nullptr, sort_by_p2p_merge};
    return driver;
}

} // namespace keyswap::kernels
