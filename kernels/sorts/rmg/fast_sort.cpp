#include "kernels/sorts/rmg/fast_sort.hpp"

#include "kernels/faults/device_faults.hpp"
#include "kernels/sorts/rmg/round_sort.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Orders a GPU's chunk by rounds, destinations and buckets, from buffer 0 to buffer 1.
void scatter_chunk(FastRun const& run, GpuState const& gpu) {
    FastMemory const& fast = fast_memory(gpu);
    PartRun const chunk = run.tables[gpu.id.value].chunk;
    build_tiles(gpu, chunk, fast.tiles.data());
    DigitStep step = step_between(gpu, 0);
    step.tiles = fast.tiles.data();
    step.tile_count = chunk.tile_count;
    step.bins = fast.scatter_bins.data();
    step.bins_stride = step_bins;
    step.shift = run.context.key_shape.bits_below(1);
    step.bits = run.context.key_shape.bits_of(1);
    step.encode = run.context.code;
    launch_first_step(run, gpu, step);
}

/// Queues the copies of a round to other GPUs.
void send_round(FastRun const& run, std::uint32_t round) {
    ElementShape const shape = run.context.shape;
    for (RoundCopy const& entry : run.plan.copies) {
        CopyRecord const& copy = entry.copy;
        if (entry.round != round || copy.source == copy.destination) {
            continue;
        }
        GpuState const& source = run.gpus[copy.source.value];
        GpuState const& destination = run.gpus[copy.destination.value];
        SortBuffers const from = buffers_at(source.buffers, shape, copy.source_offset);
        SortBuffers const to = buffers_at(destination.buffers, shape, copy.destination_offset);
        cudaStream_t const stream = fast_memory(source).send_stream.get();
        copy_async(stream,
                   destination.device,
                   to.keys[0],
                   source.device,
                   from.keys[1],
                   copy.count * static_cast<std::uint64_t>(shape.key_bytes));
        copy_async(stream,
                   destination.device,
                   to.values[0],
                   source.device,
                   from.values[1],
                   copy.count * static_cast<std::uint64_t>(shape.value_bytes));
    }
    for (GpuState const& gpu : run.gpus) {
        FastMemory const& fast = fast_memory(gpu);
        fast.sent[round].record(fast.send_stream.get());
    }
}

/// Moves what stays on its GPU, with kernels: there is time until the first round has come.
void keep_own_parts(FastRun const& run) {
    if (has_fault(DeviceFault::own_part_left)) {
        return;
    }
    ElementShape const shape = run.context.shape;
    for (RoundCopy const& entry : run.plan.copies) {
        CopyRecord const& copy = entry.copy;
        if (copy.source != copy.destination) {
            continue;
        }
        GpuState const& gpu = run.gpus[copy.source.value];
        DeviceScope const scope{gpu.device};
        SortBuffers const from = buffers_at(gpu.buffers, shape, copy.source_offset);
        SortBuffers const to = buffers_at(gpu.buffers, shape, copy.destination_offset);
        launch_copy(gpu.stream, shape.key_bytes, to.keys[0], from.keys[1], copy.count);
        launch_copy(gpu.stream, shape.value_bytes, to.values[0], from.values[1], copy.count);
    }
}

/// Waits for a round's keys and for the room that its result needs.
void await_round(FastRun const& run, GpuState const& gpu, std::uint32_t round) {
    if (has_fault(DeviceFault::round_not_awaited)) {
        return;
    }
    for (GpuState const& source : run.gpus) {
        if (source.id != gpu.id) {
            fast_memory(source).sent[round].make_wait(gpu.stream);
        }
    }
    std::uint32_t const own = run.plan.ranges[gpu.id.value][round].rounds_sent_before;
    if (own > 0) {
        fast_memory(gpu).sent[own - 1].make_wait(gpu.stream);
    }
}

void copy_round_to_host(FastRun const& run,
                        GpuState const& gpu,
                        std::uint32_t round,
                        HostArrays const& host) {
    RoundRange const& range = run.plan.ranges[gpu.id.value][round];
    if (range.begin == range.end) {
        return;
    }
    FastMemory const& fast = fast_memory(gpu);
    cudaStream_t const stream = gpu.resources->copy_stream.get();
    fast.round_sorted.record(gpu.stream);
    fast.round_sorted.make_wait(stream);
    copy_to_host(run.context,
                 gpu,
                 stream,
                 {gpu.id, range.begin, range.end - range.begin, 0, 0},
                 run.result_place(),
                 run.ownership[gpu.id.value].base,
                 host);
}

void scatter_chunks(FastRun& run) {
    for (GpuState const& gpu : run.gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase =
            run.context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::scatter, 1);
        run.tables.push_back(upload_tables(run, gpu));
        scatter_chunk(run, gpu);
        run.context.clock->end(phase);
    }
    record_round_digests(run, DigestStage::before_swap);
    join_streams(run.gpus); // every buffer 0 has been read, every buffer 1 is complete
    for (GpuState const& gpu : run.gpus) {
        gpu.resources->ready.record(gpu.stream);
        gpu.resources->ready.make_wait(fast_memory(gpu).send_stream.get());
    }
    run.context.mark_chunks_overwritten();
}

/// Rounds are queued to be sent this far ahead of their sort.
constexpr std::uint32_t rounds_ahead = 2;

void swap_and_sort(FastRun const& run, std::optional<HostArrays> const& host) {
    std::vector<OpenPhase> open;
    for (GpuState const& gpu : run.gpus) {
        open.push_back(run.context.clock->begin(
            gpu.id, gpu.device, fast_memory(gpu).send_stream.get(), Phase::key_swap, 0));
    }
    std::uint32_t const rounds = run.plan.rounds;
    bool const traced = run.context.trace != nullptr;
    // A sort by levels keeps the thread that queues.
    bool const at_once = traced || run.sort == BucketSort::levels;
    std::uint32_t sent = 0;
    for (; sent < rounds && (at_once || sent < rounds_ahead); ++sent) {
        send_round(run, sent);
    }
    keep_own_parts(run);
    if (traced) {
        for (GpuState const& gpu : run.gpus) {
            for (std::uint32_t round = 0; round < rounds; ++round) {
                await_round(run, gpu, round);
            }
        }
        record_round_digests(run, DigestStage::after_swap);
    }
    for (std::uint32_t round = 0; round < rounds; ++round) {
        for (GpuState const& gpu : run.gpus) {
            DeviceScope const scope{gpu.device};
            await_round(run, gpu, round);
            if (round == 0) {
                open.push_back(run.context.clock->begin(
                    gpu.id, gpu.device, gpu.stream, Phase::bucket_sort, 0));
            }
        }
        sort_round(run, round);
        if (host.has_value()) {
            for (GpuState const& gpu : run.gpus) {
                DeviceScope const scope{gpu.device};
                copy_round_to_host(run, gpu, round, *host);
            }
        }
        if (sent < rounds) {
            send_round(run, sent++);
        }
    }
    for (OpenPhase const& phase : open) {
        run.context.clock->end(phase);
    }
    for (GpuState& gpu : run.gpus) {
        FastMemory const& fast = fast_memory(gpu);
        fast.round_sorted.record(fast.send_stream.get());
        fast.round_sorted.make_wait(gpu.stream);
        gpu.resources->group_sorted.record(gpu.resources->copy_stream.get());
        gpu.resources->group_sorted.make_wait(gpu.stream);
        gpu.buffers.current = run.result_place();
    }
}

} // namespace

bool fast_is_possible(KeyShape shape, std::uint64_t capacity) {
    return shape.digit_bits <= step_bits && capacity <= segment_count_max;
}

FastSizes
fast_sizes(ElementShape shape, KeyShape keys, std::uint64_t capacity, std::uint32_t gpu_count) {
    FastSizes sizes;
    auto const buckets = std::size_t{1} << keys.digit_bits;
    // The chunk; in all rounds together each bucket's part from each source, and each bucket.
    sizes.parts = 1 + buckets * (gpu_count + 1);
    sizes.tiles = static_cast<std::size_t>(capacity / tile_keys(shape)) + sizes.parts;
    auto const steps = static_cast<std::size_t>((keys.bits_below(1) + step_bits - 1) / step_bits);
    sizes.bins = buckets * steps * step_bins;
    sizes.lookback_bytes = sizes.tiles * step_bins * sizeof(std::uint32_t);
    return sizes;
}

FirstPass fast_first_pass(RunContext const& context, std::vector<GpuState> const& gpus) {
    if (counting_fits(context)) {
        ask_for_crowding(context, gpus);
    }
    NvtxRange const range{"partitioning pass"};
    return first_pass(context, gpus);
}

std::vector<OwnershipRecord> fast_sort(RunContext const& context,
                                       std::vector<GpuState>& gpus,
                                       FirstPass first,
                                       std::uint64_t capacity,
                                       std::optional<HostArrays> const& host) {
    Partition const partition = placed_by(context, std::move(first));
    std::vector<OwnershipRecord> ownership =
        ownership_of(partition.buckets, context.rule, context.key_count);
    std::vector<std::uint64_t> chunk_counts;
    for (GpuState const& gpu : gpus) {
        chunk_counts.push_back(gpu.count);
    }
    bool const counting = counting_fits(context) && counting_pays(context, gpus, partition.buckets);
    BucketSort const sort = counting                    ? BucketSort::counting
                            : levels_pay(context, gpus) ? BucketSort::levels
                                                        : BucketSort::steps;
    RoundPlan const plan = make_round_plan(partition.buckets,
                                           ownership,
                                           chunk_counts,
                                           capacity,
                                           round_shares(context.rule.chunk_size, sort));
    FastRun run{context, gpus, partition.buckets, ownership, plan, sort, {}};
    record_plan(run);
    NvtxRange const range{"key swap and bucket sort"};
    scatter_chunks(run);
    swap_and_sort(run, host);
    return ownership;
}

} // namespace keyswap::kernels
