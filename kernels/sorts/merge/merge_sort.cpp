#include "kernels/sorts/merge/merge_sort.hpp"

#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/merge_kernels.hpp"
#include "kernels/sorts/merge/host_merge.hpp"
#include "kernels/sorts/merge/merge_stages.hpp"

#include <algorithm>
#include <thread>

namespace keyswap::kernels {

namespace {

std::size_t bytes_of(std::uint64_t count, int element_bytes) {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
}

/// Copies keys and values from one rank's place to another's, in a stream of the first.
struct PlaceCopy {
    Rank const& from;
    int from_place;
    std::uint64_t from_offset;
    Rank const& to;
    int to_place;
    std::uint64_t to_offset;
    std::uint64_t count;

    void queue(ElementShape shape) const {
        auto const source = static_cast<std::size_t>(from_place);
        auto const destination = static_cast<std::size_t>(to_place);
        SortBuffers const out = buffers_at(from.place, shape, from_offset);
        SortBuffers const in = buffers_at(to.place, shape, to_offset);
        copy_async(from.stream,
                   to.device,
                   in.keys[destination],
                   from.device,
                   out.keys[source],
                   bytes_of(count, shape.key_bytes));
        copy_async(from.stream,
                   to.device,
                   in.values[destination],
                   from.device,
                   out.values[source],
                   bytes_of(count, shape.value_bytes));
    }
};

/// Sorts each rank's chunk of raw keys by their images, on all bits.
std::vector<OwnershipRecord> sort_chunks(RunContext const& context, std::vector<Rank>& ranks) {
    NvtxRange const nvtx{"chunk sort"};
    context.mark_chunks_overwritten();
    std::vector<OwnershipRecord> ownership;
    std::uint64_t base = 0;
    for (Rank& rank : ranks) {
        DeviceScope const scope{rank.device};
        auto const phase = context.clock->begin(rank.gpu, rank.device, rank.stream, Phase::sort, 0);
        launch_image_change(rank.stream,
                            context.shape.key_bytes,
                            rank.place.keys[static_cast<std::size_t>(rank.place.current)],
                            rank.count,
                            context.code,
                            ImageChange::encode);
        rank.place.current = launch_radix_sort(rank.stream,
                                               context.shape,
                                               rank.place,
                                               rank.count,
                                               {0, context.key_shape.key_bits},
                                               rank.resources->sort_temp.data(),
                                               rank.resources->sort_temp.size());
        context.clock->end(phase, rank.stream);
        ownership.push_back({rank.gpu, base, rank.count});
        base += rank.count;
    }
    if (context.trace != nullptr) {
        for (OwnershipRecord const& record : ownership) {
            context.trace->write(record);
        }
        for (OwnershipRecord const& record : ownership) {
            if (record.count > 0) {
                context.trace->write(
                    SortRangeRecord{record.gpu, 0, record.count, 0, context.key_shape.key_bits});
            }
        }
    }
    return ownership;
}

ChunkedRun run_of(std::vector<Rank> const& ranks, std::uint32_t first, std::uint32_t last) {
    ChunkedRun run;
    run.chunk_size = std::max<std::uint64_t>(1, ranks[first].count);
    for (std::uint32_t gpu = first; gpu < last; ++gpu) {
        SortBuffers const& place = ranks[gpu].place;
        run.chunk[gpu - first] = place.keys[static_cast<std::size_t>(place.current)];
        run.count += ranks[gpu].count;
    }
    return run;
}

/// How many keys each merge of a stage swaps: the GPUs search, the host waits for all of them.
std::vector<std::uint64_t> swap_counts(RunContext const& context,
                                       std::vector<Rank> const& ranks,
                                       std::vector<GroupMerge> const& stage) {
    auto const host = context.exchange->host_table.span();
    join_streams(ranks); // a search reads chunks of other ranks
    std::vector<std::uint64_t> counts;
    for (std::size_t i = 0; i < stage.size(); ++i) {
        GroupMerge const& merge = stage[i];
        Rank const& rank = ranks[merge.first];
        DeviceScope const scope{rank.device};
        std::uint64_t* const result = rank.resources->counts.data();
        launch_swap_count(rank.stream,
                          context.shape.key_bytes,
                          run_of(ranks, merge.first, merge.middle),
                          run_of(ranks, merge.middle, merge.last),
                          result);
        KEYSWAP_CUDA(cudaMemcpyAsync(
            &host[i], result, sizeof(*result), cudaMemcpyDeviceToHost, rank.stream));
    }
    for (std::size_t i = 0; i < stage.size(); ++i) {
        KEYSWAP_CUDA(cudaStreamSynchronize(ranks[stage[i].first].stream));
        bool const too_few = has_fault(DeviceFault::short_exchange) && host[i] > 0;
        counts.push_back(too_few ? host[i] - 1 : host[i]);
    }
    return counts;
}

/// The keys of a rank that a stage replaces: [begin, end) of its chunk.
struct Replaced {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Queues the copies of an exchange into the other places and notes what they replace.
void swap_chunks(RunContext const& context,
                 std::vector<Rank> const& ranks,
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
        Rank const& left = ranks[swap.left];
        Rank const& right = ranks[swap.right];
        int const left_place = left.place.current;
        int const right_place = right.place.current;
        PlaceCopy{left,
                  left_place,
                  swap.left_offset,
                  right,
                  1 - right_place,
                  swap.right_offset,
                  swap.count}
            .queue(context.shape);
        PlaceCopy{right,
                  right_place,
                  swap.right_offset,
                  left,
                  1 - left_place,
                  swap.left_offset,
                  swap.count}
            .queue(context.shape);
        extend(swap.left, swap.left_offset, swap.left_offset + swap.count);
        extend(swap.right, swap.right_offset, swap.right_offset + swap.count);
        if (context.trace != nullptr) {
            context.trace->write(CopyRecord{
                left.gpu, swap.left_offset, right.gpu, swap.right_offset, swap.count, stage});
            context.trace->write(CopyRecord{
                right.gpu, swap.right_offset, left.gpu, swap.left_offset, swap.count, stage});
        }
    }
}

/// Copies what a rank keeps beside what has come. \pre something is replaced
void keep_rest(RunContext const& context, Rank const& rank, Replaced replaced) {
    int const place = rank.place.current;
    PlaceCopy{rank, place, 0, rank, 1 - place, 0, replaced.begin}.queue(context.shape);
    PlaceCopy{rank, place, replaced.end, rank, 1 - place, replaced.end, rank.count - replaced.end}
        .queue(context.shape);
}

/// Makes one run of what a rank kept and what has come. \pre something was replaced
void merge_chunk(RunContext const& context, Rank& rank, int stage, Replaced replaced) {
    bool const all = replaced.begin == 0 && replaced.end == rank.count;
    if (all) {
        rank.place.current = 1 - rank.place.current;
        return;
    }
    // A group gives its end or its beginning, so that two runs lie on a rank.
    std::uint64_t const border = replaced.begin == 0 ? replaced.end : replaced.begin;
    auto const from = static_cast<std::size_t>(1 - rank.place.current);
    auto const to = static_cast<std::size_t>(rank.place.current);
    SortBuffers const second = buffers_at(rank.place, context.shape, border);
    MergeRuns runs;
    runs.keys[0] = rank.place.keys[from];
    runs.keys[1] = second.keys[from];
    runs.values[0] = rank.place.values[from];
    runs.values[1] = second.values[from];
    runs.count[0] = border;
    runs.count[1] = rank.count - border;
    runs.keys_out = rank.place.keys[to];
    runs.values_out = rank.place.values[to];
    if (context.trace != nullptr) {
        context.trace->write(MergeRecord{stage, rank.gpu, 0, {runs.count[0], runs.count[1]}});
    }
    DeviceScope const scope{rank.device};
    launch_merge(rank.stream,
                 context.shape,
                 runs,
                 rank.resources->sort_temp.data(),
                 rank.resources->sort_temp.size());
}

void run_stage(RunContext const& context,
               std::vector<Rank>& ranks,
               int number,
               std::vector<GroupMerge> const& stage,
               std::vector<std::uint64_t> const& counts) {
    NvtxRange const nvtx{"merge stage"};
    std::vector<std::size_t> phases;
    for (Rank const& rank : ranks) {
        phases.push_back(context.clock->begin(rank.gpu, rank.device, rank.stream, Phase::merge, 0));
    }
    std::vector<std::uint64_t> const swap_count = swap_counts(context, ranks, stage);
    std::vector<Replaced> replaced(ranks.size());
    for (std::size_t i = 0; i < stage.size(); ++i) {
        swap_chunks(context, ranks, number, chunk_swaps(stage[i], counts, swap_count[i]), replaced);
    }
    for (Rank const& rank : ranks) {
        if (replaced[rank.gpu.value].end > 0) {
            keep_rest(context, rank, replaced[rank.gpu.value]);
        }
    }
    join_streams(ranks);
    for (Rank& rank : ranks) {
        if (replaced[rank.gpu.value].end > 0) {
            merge_chunk(context, rank, number, replaced[rank.gpu.value]);
        }
        context.clock->end(phases[rank.gpu.value], rank.stream);
    }
}

/// Copies each rank's keys to their place in host memory.
void copy_back(RunContext const& context,
               std::vector<Rank> const& ranks,
               std::vector<OwnershipRecord> const& ownership,
               HostArrays const& host) {
    for (Rank const& rank : ranks) {
        auto const phase =
            context.clock->begin(rank.gpu, rank.device, rank.stream, Phase::device_to_host, 0);
        copy_to_host(context,
                     rank,
                     rank.stream,
                     {rank.gpu, 0, rank.count, 0, 0},
                     rank.place.current,
                     ownership[rank.gpu.value].base,
                     host);
        context.clock->end(phase, rank.stream);
    }
}

/// The CPU's merge of all sorted chunks, if there are several.
void record_host_merge(RunContext const& context, std::vector<Rank> const& ranks) {
    MergeRecord merge;
    for (Rank const& rank : ranks) {
        if (rank.count > 0) {
            merge.runs.push_back(rank.count);
        }
    }
    if (context.trace != nullptr && merge.runs.size() > 1) {
        context.trace->write(merge);
    }
}

} // namespace

std::vector<OwnershipRecord> p2p_merge_sort(RunContext const& context,
                                            std::vector<Rank>& ranks,
                                            std::optional<HostArrays> const& host) {
    std::vector<OwnershipRecord> ownership = sort_chunks(context, ranks);
    std::vector<std::uint64_t> counts;
    for (Rank const& rank : ranks) {
        counts.push_back(rank.count);
    }
    int number = 0;
    for (auto const& stage : merge_stages(static_cast<std::uint32_t>(ranks.size()))) {
        run_stage(context, ranks, number++, stage, counts);
    }
    for (Rank const& rank : ranks) {
        DeviceScope const scope{rank.device};
        launch_image_change(rank.stream,
                            context.shape.key_bytes,
                            rank.place.keys[static_cast<std::size_t>(rank.place.current)],
                            rank.count,
                            context.code,
                            ImageChange::decode);
    }
    if (host) {
        copy_back(context, ranks, ownership, *host);
    }
    return ownership;
}

std::vector<OwnershipRecord> het_merge_sort(RunContext const& context,
                                            std::vector<Rank>& ranks,
                                            HostArrays const& staging,
                                            HostArrays const& host) {
    std::vector<OwnershipRecord> ownership = sort_chunks(context, ranks);
    RunContext to_staging = context;
    InputState staging_state = InputState::intact;
    to_staging.input = &staging_state; // the caller's keys are not touched yet
    copy_back(to_staging, ranks, ownership, staging);
    std::vector<HostRun> runs;
    for (Rank const& rank : ranks) {
        if (!has_fault(DeviceFault::host_merge_too_early)) {
            KEYSWAP_CUDA(cudaStreamSynchronize(rank.stream));
        }
        std::uint64_t const base = ownership[rank.gpu.value].base;
        runs.push_back({element(staging.keys, context.shape.key_bytes, base),
                        element(staging.values, context.shape.value_bytes, base),
                        rank.count});
    }
    *context.input = InputState::lost;
    record_host_merge(context, ranks);
    merge_on_host(context.shape.key_bytes,
                  context.shape.value_bytes,
                  runs,
                  context.code,
                  {host.keys, host.values},
                  std::max(1U, std::thread::hardware_concurrency()));
    return ownership;
}

} // namespace keyswap::kernels
