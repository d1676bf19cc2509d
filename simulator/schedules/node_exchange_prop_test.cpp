// Random swaps on random nodes have the same result in stages as flat.

#include "simulator/schedules/node_exchange.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace keyswap::simulator {
namespace {

/// [g][offset] key at this position; 0 = none.
using Buffers = std::vector<std::vector<std::uint64_t>>;

struct Swap {
    std::vector<std::uint32_t> machines; ///< [g]
    std::vector<CopyRecord> copies;
    std::vector<std::uint64_t> sent;     ///< [g] keys of each chunk
    std::vector<std::uint64_t> received; ///< [g] keys owned after the swap
};

/// Pieces of random sizes in random order; several may belong to one pair.
Swap random_swap() {
    auto const gpus = *rc::gen::inRange<std::uint32_t>(1, 9);
    Swap swap{*rc::gen::container<std::vector<std::uint32_t>>(
                  gpus, rc::gen::inRange<std::uint32_t>(0, 4)),
              {},
              std::vector<std::uint64_t>(gpus),
              std::vector<std::uint64_t>(gpus)};
    auto const pieces = *rc::gen::inRange<std::size_t>(0, 60);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        auto const source = *rc::gen::inRange<std::uint32_t>(0, gpus);
        auto const destination = *rc::gen::inRange<std::uint32_t>(0, gpus);
        auto const count = *rc::gen::inRange<std::uint64_t>(1, 6);
        swap.copies.push_back({GpuId{source},
                               swap.sent[source],
                               GpuId{destination},
                               swap.received[destination],
                               count});
        swap.sent[source] += count;
        swap.received[destination] += count;
    }
    return swap;
}

Buffers empty_buffers(std::vector<std::uint64_t> const& sizes) {
    Buffers buffers;
    for (std::uint64_t const size : sizes) {
        buffers.emplace_back(size);
    }
    return buffers;
}

/// Every key has a unique number.
Buffers chunks_of(Swap const& swap) {
    Buffers chunks = empty_buffers(swap.sent);
    std::uint64_t next = 1;
    for (auto& chunk : chunks) {
        std::iota(chunk.begin(), chunk.end(), next);
        next += chunk.size();
    }
    return chunks;
}

void move(CopyRecord const& copy, Buffers const& from, Buffers& to) {
    auto const& source = from[copy.source.value];
    auto& destination = to[copy.destination.value];
    RC_ASSERT(copy.source_offset + copy.count <= source.size());
    RC_ASSERT(copy.destination_offset + copy.count <= destination.size());
    for (std::uint64_t i = 0; i < copy.count; ++i) {
        destination[copy.destination_offset + i] = source[copy.source_offset + i];
    }
}

Buffers carried_flat(Swap const& swap) {
    Buffers const chunks = chunks_of(swap);
    Buffers result = empty_buffers(swap.received);
    for (CopyRecord const& copy : swap.copies) {
        move(copy, chunks, result);
    }
    return result;
}

/// Staging buffers hold what any destination owns; all of a buffer is sent once.
Buffers carried_in_stages(Swap const& swap, std::span<StagedCopy const> staged) {
    Buffers const chunks = chunks_of(swap);
    std::vector<std::uint64_t> const largest(swap.machines.size(), std::ranges::max(swap.received));
    Buffers gathered = empty_buffers(largest);
    Buffers arrived = empty_buffers(largest);
    Buffers result = empty_buffers(swap.received);
    for (StagedCopy const& next : staged) {
        switch (next.step) {
        case ExchangeStep::within:
            move(next.copy, chunks, result);
            break;
        case ExchangeStep::gather:
            move(next.copy, chunks, gathered);
            break;
        case ExchangeStep::send:
            move(next.copy, gathered, arrived);
            break;
        case ExchangeStep::spread:
            move(next.copy, arrived, result);
            break;
        }
    }
    return result;
}

RC_GTEST_PROP(NodeExchangeProp, LeavesEveryKeyWhereTheFlatSwapDoes, ()) {
    Swap const swap = random_swap();
    auto const staged = node_exchange(swap.copies, swap.machines);
    RC_ASSERT(std::ranges::is_sorted(staged, {}, [](StagedCopy const& next) {
        return std::pair{next.round, next.step};
    }));
    RC_ASSERT(carried_in_stages(swap, staged) == carried_flat(swap));
}

RC_GTEST_PROP(NodeExchangeProp, SendsEachFarKeyOnceAndOneMessageForANodeAndDestination, ()) {
    Swap const swap = random_swap();
    auto const machine = [&](GpuId gpu) { return swap.machines[gpu.value]; };
    std::set<std::pair<std::uint32_t, GpuId>> needed;
    std::set<std::pair<std::uint32_t, GpuId>> messages;
    std::uint64_t far = 0;
    for (CopyRecord const& copy : swap.copies) {
        if (machine(copy.source) != machine(copy.destination)) {
            far += copy.count;
            needed.emplace(machine(copy.source), copy.destination);
        }
    }
    std::uint64_t sent = 0;
    for (StagedCopy const& next : node_exchange(swap.copies, swap.machines)) {
        bool const leaves = machine(next.copy.source) != machine(next.copy.destination);
        RC_ASSERT(leaves == (next.step == ExchangeStep::send));
        if (leaves) {
            sent += next.copy.count;
            RC_ASSERT(messages.emplace(machine(next.copy.source), next.copy.destination).second);
        }
    }
    RC_ASSERT(sent == far);
    RC_ASSERT(messages == needed);
}

} // namespace
} // namespace keyswap::simulator
