#include "kernels/sorts/rmg/rank_swap.hpp"

#include "kernels/ranks/rank_step.hpp"
#include "kernels/runtime/rank_words.hpp"
#include "traces/records/digest.hpp"

#include <cstddef>

namespace keyswap::kernels {

namespace {

/// A hash of who owns what and of all copies.
std::uint64_t hash_of(SwapPlan const& plan) {
    std::uint64_t hash = 0;
    auto const add = [&hash](std::uint64_t word) { hash = mix_bits(hash ^ mix_bits(word)); };
    for (OwnershipRecord const& owner : plan.ownership) {
        add(owner.base);
        add(owner.count);
    }
    for (CopyRecord const& copy : plan.copies) {
        add(copy.source.value);
        add(copy.source_offset);
        add(copy.destination.value);
        add(copy.destination_offset);
        add(copy.count);
    }
    return hash;
}

void expect_same_plan(RunContext const& context, GpuState const& gpu, SwapPlan const& plan) {
    std::uint64_t const own = hash_of(plan);
    auto const all = words_of_ranks(context, gpu, "comparing plans", own);
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank] != own) {
            throw lost_rank("comparing plans",
                            rank,
                            "has decided on another plan than rank " +
                                std::to_string(context.ranks->rank()));
        }
    }
}

} // namespace

void swap_with_ranks(RunContext const& context, GpuState& gpu, SwapPlan const& plan) {
    expect_same_plan(context, gpu, plan);
    context.mark_chunks_overwritten();
    auto const from = static_cast<std::size_t>(gpu.buffers.current);
    auto const to = 1 - from;
    std::vector<RankMessage> sends;
    std::vector<RankMessage> receives;
    auto const add = [](std::vector<RankMessage>& messages,
                        GpuId peer,
                        void* array,
                        int element_bytes,
                        std::uint64_t offset,
                        std::uint64_t count) {
        if (element_bytes > 0) {
            messages.push_back({peer.value,
                                element(array, element_bytes, offset),
                                bytes_of(count, element_bytes)});
        }
    };
    ElementShape const shape = context.shape;
    DeviceScope const scope{gpu.device};
    auto const phase = context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::key_swap, 0);
    for (CopyRecord const& copy : plan.copies) {
        if (copy.source == gpu.id && copy.destination == gpu.id) {
            // No other rank is needed for what stays.
            SortBuffers const source = buffers_at(gpu.buffers, shape, copy.source_offset);
            SortBuffers const target = buffers_at(gpu.buffers, shape, copy.destination_offset);
            copy_async(gpu.stream,
                       gpu.device,
                       target.keys[to],
                       gpu.device,
                       source.keys[from],
                       bytes_of(copy.count, shape.key_bytes));
            copy_async(gpu.stream,
                       gpu.device,
                       target.values[to],
                       gpu.device,
                       source.values[from],
                       bytes_of(copy.count, shape.value_bytes));
        } else if (copy.source == gpu.id) {
            SortBuffers const& at = gpu.buffers;
            add(sends,
                copy.destination,
                at.keys[from],
                shape.key_bytes,
                copy.source_offset,
                copy.count);
            add(sends,
                copy.destination,
                at.values[from],
                shape.value_bytes,
                copy.source_offset,
                copy.count);
        } else if (copy.destination == gpu.id) {
            SortBuffers const& at = gpu.buffers;
            add(receives,
                copy.source,
                at.keys[to],
                shape.key_bytes,
                copy.destination_offset,
                copy.count);
            add(receives,
                copy.source,
                at.values[to],
                shape.value_bytes,
                copy.destination_offset,
                copy.count);
        }
    }
    context.ranks->exchange(gpu.stream, "key swap", sends, receives);
    context.clock->end(phase);
    gpu.buffers.current = static_cast<int>(to);
}

} // namespace keyswap::kernels
