#include "kernels/exchange/rank_swap.hpp"

#include "kernels/ranks/rank_step.hpp"
#include "kernels/runtime/rank_words.hpp"
#include "traces/records/digest.hpp"

#include <cstddef>

namespace keyswap::kernels {

namespace {

/// Hash of the ownership and all copies.
std::uint64_t hash_of(std::span<OwnershipRecord const> ownership,
                      std::span<CopyRecord const> copies) {
    std::uint64_t hash = 0;
    auto const add = [&hash](std::uint64_t word) { hash = mix_bits(hash ^ mix_bits(word)); };
    for (OwnershipRecord const& owner : ownership) {
        add(owner.base);
        add(owner.count);
    }
    for (CopyRecord const& copy : copies) {
        add(copy.source.value);
        add(copy.source_offset);
        add(copy.destination.value);
        add(copy.destination_offset);
        add(copy.count);
        add(static_cast<std::uint64_t>(copy.stage));
    }
    return hash;
}

} // namespace

void expect_same_plan(RunContext const& context,
                      GpuState const& gpu,
                      std::span<OwnershipRecord const> ownership,
                      std::span<CopyRecord const> copies) {
    std::uint64_t const own = hash_of(ownership, copies);
    auto const all = gather_words(context, gpu, "comparing plans", own);
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank] != own) {
            throw lost_rank("comparing plans",
                            rank,
                            "chose a different plan than rank " +
                                std::to_string(context.ranks->rank()));
        }
    }
}

void exchange_copies(RunContext const& context,
                     GpuState const& gpu,
                     cudaStream_t stream,
                     std::span<CopyRecord const> copies,
                     SwapBuffers buffers,
                     std::string_view step) {
    auto const [from, to] = buffers;
    std::vector<RankMessage> sends;
    std::vector<RankMessage> receives;
    ElementShape const shape = context.shape;
    SortBuffers const& at = gpu.buffers;
    struct Array {
        void* from;
        void* to;
        int element_bytes;
    };
    DeviceScope const scope{gpu.device};
    for (CopyRecord const& copy : copies) {
        for (Array const& array : {Array{at.keys[from], at.keys[to], shape.key_bytes},
                                   Array{at.values[from], at.values[to], shape.value_bytes}}) {
            std::size_t const bytes = bytes_of(copy.count, array.element_bytes);
            if (bytes == 0) {
                continue;
            }
            void* const source = element(array.from, array.element_bytes, copy.source_offset);
            void* const target = element(array.to, array.element_bytes, copy.destination_offset);
            if (copy.source == gpu.id && copy.destination == gpu.id) {
                // local copy, without other ranks
                copy_async(stream, gpu.device, target, gpu.device, source, bytes);
            } else if (copy.source == gpu.id) {
                sends.push_back({copy.destination.value, source, bytes});
            } else if (copy.destination == gpu.id) {
                receives.push_back({copy.source.value, target, bytes});
            }
        }
    }
    context.ranks->exchange(stream, step, sends, receives);
}

void swap_with_ranks(RunContext const& context,
                     GpuState& gpu,
                     std::span<OwnershipRecord const> ownership,
                     std::span<CopyRecord const> copies) {
    expect_same_plan(context, gpu, ownership, copies);
    context.mark_chunks_overwritten();
    auto const from = static_cast<std::size_t>(gpu.buffers.current);
    DeviceScope const scope{gpu.device};
    auto const phase = context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::key_swap, 0);
    exchange_copies(context, gpu, gpu.stream, copies, {.from = from, .to = 1 - from}, "key swap");
    context.clock->end(phase);
    gpu.buffers.current = static_cast<int>(1 - from);
}

} // namespace keyswap::kernels
