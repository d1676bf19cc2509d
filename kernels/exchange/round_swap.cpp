#include "kernels/exchange/round_swap.hpp"

#include "kernels/exchange/segment_digests.hpp"
#include "kernels/exchange_plan/pair_swap.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/copy_kernels.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace keyswap::kernels {

namespace {

/// Rounds whose transfer is queued ahead of their sort.
constexpr std::uint32_t rounds_ahead = 2;

GpuState const& gpu_here(RoundSwap const& swap, GpuId id) {
    return swap.gpus[swap.index_of(id)];
}

RoundStreams const& streams_of(RoundSwap const& swap, GpuState const& gpu) {
    return *swap.streams[swap.index_of(gpu.id)];
}

bool is_of_round(CopyRecord const& copy, std::uint32_t round) {
    return copy.stage == static_cast<int>(round);
}

/// A GPU receives from one source at a time: two sources that share its link leave half of their
/// own idle, and a late copy delays all copies queued after it.
void send_to_peers(RoundSwap const& swap, std::uint32_t round) {
    for (std::size_t i = 0; i < swap.sends.copies.size(); ++i) {
        CopyRecord const& copy = swap.sends.copies[i];
        if (!is_of_round(copy, round)) {
            continue;
        }
        GpuState const& source = gpu_here(swap, copy.source);
        GpuState const& destination = gpu_here(swap, copy.destination);
        cudaStream_t const stream = streams_of(swap, source).send.get();
        bool const crosses_link = source.device != destination.device;
        if (std::optional<GpuId> const before = swap.sends.after[i]; crosses_link && before) {
            streams_of(swap, gpu_here(swap, *before))
                .sent_to[copy.destination.value]
                .make_wait(stream);
        }
        copy_elements(stream,
                      swap.context.shape,
                      {source, 1, copy.source_offset},
                      {destination, 0, copy.destination_offset},
                      copy.count);
        if (crosses_link) {
            streams_of(swap, source).sent_to[copy.destination.value].record(stream);
        }
    }
}

void exchange_with_ranks(RoundSwap const& swap, std::uint32_t round) {
    GpuState const& gpu = swap.gpus.front();
    DeviceScope const scope{gpu.device};
    RoundStreams const& streams = streams_of(swap, gpu);
    std::string const step = "key swap, round " + std::to_string(round);
    std::vector<CopyRecord> copies;
    std::ranges::copy_if(swap.sends.copies,
                         std::back_inserter(copies),
                         [round](CopyRecord const& copy) { return is_of_round(copy, round); });
    constexpr std::size_t from = 1;
    exchange_copies(swap.context, gpu, streams.send.get(), copies, from, swap.peers, step);
    if (swap.peers.empty()) {
        streams.sent[round].record(streams.send.get());
        return;
    }
    // A stream of its own, so that later rounds need not wait until all ranks have sent this one.
    streams.copied.record(streams.send.get());
    streams.copied.make_wait(streams.arrive.get());
    if (!copies.empty()) {
        swap.context.ranks->barrier(streams.arrive.get(), step);
    }
    streams.sent[round].record(streams.arrive.get());
}

/// Queues the copies of a round to other GPUs.
void send_round(RoundSwap const& swap, std::uint32_t round) {
    if (swap.context.ranks != nullptr) {
        exchange_with_ranks(swap, round);
        return;
    }
    send_to_peers(swap, round);
    for (GpuState const& gpu : swap.gpus) {
        RoundStreams const& streams = streams_of(swap, gpu);
        streams.sent[round].record(streams.send.get());
    }
}

/// Lets the send stream wait until the peers have sent everything, so that it ends the swap's
/// phase.
void await_peers(RoundSwap const& swap) {
    if (swap.peers.empty()) {
        return;
    }
    RoundStreams const& streams = streams_of(swap, swap.gpus.front());
    streams.copied.record(streams.arrive.get());
    streams.copied.make_wait(streams.send.get());
}

/// Copies local parts with a kernel, overlapped with the first transfer.
void copy_local_parts(RoundSwap const& swap) {
    if (has_fault(DeviceFault::own_part_left)) {
        return;
    }
    ElementShape const shape = swap.context.shape;
    for (GpuState const& gpu : swap.gpus) {
        DeviceScope const scope{gpu.device};
        for (CopyRecord const& copy : swap.rounds.plan.copies) {
            if (copy.source != gpu.id || copy.destination != gpu.id ||
                swap.rounds.plan.range_of(copy).own_part == KeyBuffer::output) {
                continue;
            }
            SortBuffers const from = buffers_at(gpu.buffers, shape, copy.source_offset);
            SortBuffers const to = buffers_at(gpu.buffers, shape, copy.destination_offset);
            launch_copy(gpu.stream, shape.key_bytes, to.keys[0], from.keys[1], copy.count);
            launch_copy(gpu.stream, shape.value_bytes, to.values[0], from.values[1], copy.count);
        }
    }
}

/// Generates the filled parts of all rounds at once, as no result of a round overwrites another
/// round's input. One launch per value would take as long as writing the values.
void fill_parts(RoundSwap const& swap) {
    if (has_fault(DeviceFault::filled_part_left)) {
        return;
    }
    for (GpuState const& gpu : swap.gpus) {
        DeviceScope const scope{gpu.device};
        std::vector<KeyFill> fills;
        for (RoundFill const& fill : swap.sends.fills) {
            if (fill.gpu == gpu.id) {
                fills.push_back({fill.offset, fill.count, fill.image});
            }
        }
        if (!fills.empty()) {
            launch_fills(gpu.stream, swap.context.shape.key_bytes, gpu.buffers.keys[0], fills);
        }
    }
}

/// Waits for a round's arrivals and for the rounds that its result would overwrite.
void await_round(RoundSwap const& swap, GpuState const& gpu, std::uint32_t round) {
    if (has_fault(DeviceFault::round_not_awaited)) {
        return;
    }
    for (GpuState const& source : swap.gpus) {
        if (source.id != gpu.id || swap.context.ranks != nullptr) {
            streams_of(swap, source).sent[round].make_wait(gpu.stream);
        }
    }
    std::uint32_t const own = swap.rounds.plan.ranges[gpu.id.value][round].rounds_sent_before;
    if (own > 0) {
        streams_of(swap, gpu).sent[own - 1].make_wait(gpu.stream);
    }
}

/// Rounds to queue for transfer before a round's sort may wait for any.
std::uint32_t rounds_before_sort(RoundSwap const& swap, std::uint32_t round) {
    std::uint32_t rounds = round + 1;
    for (GpuState const& gpu : swap.gpus) {
        rounds = std::max(rounds, swap.rounds.plan.ranges[gpu.id.value][round].rounds_sent_before);
    }
    return rounds;
}

void copy_round_to_host(RoundSwap const& swap,
                        GpuState const& gpu,
                        std::uint32_t round,
                        Columns<void> const& host) {
    RoundRange const& range = swap.rounds.plan.ranges[gpu.id.value][round];
    if (range.begin == range.end) {
        return;
    }
    RoundStreams const& streams = streams_of(swap, gpu);
    cudaStream_t const stream = gpu.resources->copy_stream.get();
    streams.sorted.record(gpu.stream);
    streams.sorted.make_wait(stream);
    copy_to_host(swap.context,
                 gpu,
                 stream,
                 {gpu.id, range.begin, range.end - range.begin, 0, 0},
                 swap.result_buffer,
                 swap.ownership[gpu.id.value].base,
                 host);
}

/// With ranks, waits for a round, so that the transport's timeout applies to all waits for it.
void await_on_host(RoundSwap const& swap, std::uint32_t round) {
    if (swap.context.ranks != nullptr) {
        RoundStreams const& streams = streams_of(swap, swap.gpus.front());
        swap.context.ranks->wait_event(streams.sent[round].get(),
                                       "key swap, round " + std::to_string(round));
    }
}

/// Waits for the arrivals of all rounds.
void await_arrivals(RoundSwap const& swap) {
    await_on_host(swap, swap.rounds.plan.rounds - 1);
    for (GpuState const& gpu : swap.gpus) {
        for (std::uint32_t round = 0; round < swap.rounds.plan.rounds; ++round) {
            await_round(swap, gpu, round);
        }
    }
}

void record_digests(RoundSwap const& swap, DigestStage stage) {
    record_segment_digests(swap.context, swap.gpus, swap.buckets, swap.rounds.segments, stage);
}

/// Writes ownership, copies and sort ranges to the trace; no effect without a trace.
void record_rounds(RoundSwap const& swap) {
    RunContext const& context = swap.context;
    if (context.trace == nullptr) {
        return;
    }
    context.trace->declare(swap.rounds.layout);
    write_records(context, swap.ownership);
    write_records(context, swap.rounds.plan.copies);
    std::vector<OwnedBucket> const owned = owned_buckets(swap.buckets, swap.ownership);
    bool const by_round = swap.rounds.layout == SwapLayout::by_round;
    write_records(context, by_round ? bucket_ranges(owned) : whole_ranges(owned));
}

/// Verifies that every rank has the same rounds and sends, and finds the ranks' buffers for them.
PeerBuffers agree_on_rounds(RoundSwap const& swap) {
    if (swap.context.ranks == nullptr) {
        return {};
    }
    std::vector<CopyRecord> copies = swap.rounds.plan.copies;
    copies.insert(copies.end(), swap.sends.copies.begin(), swap.sends.copies.end());
    constexpr std::size_t arrivals = 0;
    return agree_on_swap(swap.context, swap.gpus.front(), swap.ownership, copies, arrivals);
}

/// Lets every GPU's send stream wait until all GPUs have scattered their chunks, those of other
/// ranks too if it copies to their buffers.
void await_scatters(RoundSwap const& swap) {
    join_streams(swap.gpus); // every buffer 0 has been read, every buffer 1 is complete
    for (GpuState const& gpu : swap.gpus) {
        gpu.resources->ready.record(gpu.stream);
        gpu.resources->ready.make_wait(streams_of(swap, gpu).send.get());
    }
    swap.context.mark_chunks_overwritten();
    if (!swap.peers.empty()) {
        DeviceScope const scope{swap.gpus.front().device};
        swap.context.ranks->barrier(streams_of(swap, swap.gpus.front()).send.get(), "key swap");
    }
}

/// Records the plan, agrees on it with the ranks, and queues the scatter.
void scatter_chunks(RoundSwap& swap) {
    record_rounds(swap);
    swap.peers = agree_on_rounds(swap);
    swap.scatter();
    if (swap.context.trace != nullptr) {
        record_digests(swap, DigestStage::before_swap);
    }
    await_scatters(swap);
}

/// Makes every GPU's stream wait for its downloads and sends; the result becomes current.
void join_results(RoundSwap const& swap, std::vector<OpenPhase> const& sorting) {
    for (GpuState const& gpu : swap.gpus) {
        gpu.resources->group_sorted.record(gpu.resources->copy_stream.get());
        gpu.resources->group_sorted.make_wait(gpu.stream);
    }
    for (OpenPhase const& phase : sorting) {
        swap.context.clock->end(phase);
    }
    for (GpuState& gpu : swap.gpus) {
        RoundStreams const& streams = streams_of(swap, gpu);
        streams.sorted.record(streams.send.get());
        streams.sorted.make_wait(gpu.stream);
        gpu.buffers.current = swap.result_buffer;
    }
}

} // namespace

RoundDemand round_demand(SortCall const& call, BucketSort sort) {
    RunContext const& context = call.context;
    return {.keys_per_gpu = context.rule.chunk_size,
            .element_bytes = static_cast<std::uint64_t>(context.shape.bytes()),
            .to_host = call.host.has_value(),
            .sort = sort,
            .rounds_min = context.tuning.rounds_min};
}

SwapRounds plan_rounds(RunContext const& context,
                       std::span<FinalBucket const> buckets,
                       std::span<OwnershipRecord const> ownership,
                       std::uint64_t capacity,
                       std::span<int const> shares,
                       int bits_below_first) {
    std::vector<std::uint64_t> chunk_counts;
    for (GpuId gpu{0}; gpu.value < context.rule.gpu_count; ++gpu.value) {
        chunk_counts.push_back(chunk_of(context, gpu).count);
    }
    return plan_rounds(buckets, ownership, chunk_counts, capacity, shares, bits_below_first);
}

void swap_and_sort(RoundSwap swap, std::optional<Columns<void>> const& host) {
    NvtxRange const range{"key swap and bucket sort"};
    scatter_chunks(swap);
    PhaseClock& clock = *swap.context.clock;
    std::vector<OpenPhase> sending;
    for (GpuState const& gpu : swap.gpus) {
        sending.push_back(
            clock.begin(gpu.id, gpu.device, streams_of(swap, gpu).send.get(), Phase::key_swap, 0));
    }
    std::uint32_t const rounds = swap.rounds.plan.rounds;
    std::uint32_t sent = 0;
    auto const send = [&](std::uint32_t up_to) {
        for (; sent < std::min(up_to, rounds); ++sent) {
            send_round(swap, sent);
        }
        if (sent == rounds && !sending.empty()) {
            await_peers(swap);
            for (OpenPhase const& phase : sending) {
                clock.end(phase);
            }
            sending.clear();
        }
    };
    auto const move_own_parts = [&swap] {
        copy_local_parts(swap);
        fill_parts(swap);
    };
    if (swap.peers.empty()) {
        send(swap.at_once ? rounds : rounds_ahead);
        move_own_parts();
    } else {
        // Copies to a peer must not even be queued before it is ready: if a rank is lost, the
        // barrier is broken off, and they would overwrite a chunk reported as unchanged.
        move_own_parts();
        swap.context.ranks->wait(streams_of(swap, swap.gpus.front()).send.get(), "key swap");
        send(rounds);
    }
    if (swap.context.trace != nullptr) {
        await_arrivals(swap);
        record_digests(swap, DigestStage::after_swap);
    }
    std::vector<OpenPhase> sorting;
    Phase const sort_phase =
        host.has_value() ? Phase::bucket_sort_and_copy_back : Phase::bucket_sort;
    auto const before = [&](std::size_t i, std::uint32_t round) {
        if (i == 0) {
            send(rounds_before_sort(swap, round));
        }
        GpuState const& gpu = swap.gpus[i];
        DeviceScope const scope{gpu.device};
        await_on_host(swap, round);
        await_round(swap, gpu, round);
        if (round == 0) {
            sorting.push_back(begin_phase(swap.context, gpu, sort_phase));
        }
    };
    auto const after = [&](std::size_t i, std::uint32_t round) {
        if (host.has_value()) {
            DeviceScope const scope{swap.gpus[i].device};
            copy_round_to_host(swap, swap.gpus[i], round, *host);
        }
        if (i + 1 == swap.gpus.size()) {
            send(sent + 1);
        }
    };
    swap.sort_rounds({before, after});
    join_results(swap, sorting);
}

} // namespace keyswap::kernels
