#include "kernels/exchange/rank_swap.hpp"

#include "kernels/ranks/rank_step.hpp"
#include "kernels/runtime/rank_words.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
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

/// What a rank contributes before a swap.
struct SwapOffer {
    std::uint64_t plan = 0; ///< hash
    SharedPlace keys;
    SharedPlace values; ///< default without values
};

/// \param offers [rank]
PeerBuffers peer_buffers(RunContext const& context, std::span<SwapOffer const> offers) {
    bool const has_values = context.shape.value_bytes > 0;
    if (std::ranges::any_of(offers, [has_values](SwapOffer const& offer) {
            return offer.keys.block == 0 || (has_values && offer.values.block == 0);
        })) {
        return {};
    }
    auto const address = [&context](std::uint32_t rank, SharedPlace place) {
        auto const found = context.shared->address(rank, place);
        if (!found) {
            throw lost_rank("comparing plans", rank, "shares a chunk that this rank has released");
        }
        return *found;
    };
    PeerBuffers peers;
    for (std::uint32_t rank = 0; rank < offers.size(); ++rank) {
        SwapOffer const& offer = offers[rank];
        peers.push_back(
            {address(rank, offer.keys), has_values ? address(rank, offer.values) : nullptr});
    }
    return peers;
}

} // namespace

PeerBuffers agree_on_swap(RunContext const& context,
                          GpuState const& gpu,
                          std::span<OwnershipRecord const> ownership,
                          std::span<CopyRecord const> copies,
                          std::size_t to) {
    SwapOffer own{hash_of(ownership, copies), context.shared->find(gpu.buffers.keys[to]), {}};
    if (context.shape.value_bytes > 0) {
        own.values = context.shared->find(gpu.buffers.values[to]);
    }
    auto const offers = gather_values(context, gpu, "comparing plans", own);
    for (std::uint32_t rank = 0; rank < offers.size(); ++rank) {
        if (offers[rank].plan != own.plan) {
            throw lost_rank("comparing plans",
                            rank,
                            "chose a different plan than rank " +
                                std::to_string(context.ranks->rank()));
        }
    }
    return peer_buffers(context, offers);
}

void exchange_copies(RunContext const& context,
                     GpuState const& gpu,
                     cudaStream_t stream,
                     std::span<CopyRecord const> copies,
                     std::size_t from,
                     PeerBuffers const& peers,
                     std::string_view step) {
    std::size_t const to = 1 - from;
    std::vector<RankMessage> sends;
    std::vector<RankMessage> receives;
    ElementShape const shape = context.shape;
    SortBuffers const& at = gpu.buffers;
    struct Array {
        void* from;
        void* to;
        void* Columns<void>::*of_rank;
        int element_bytes;
    };
    DeviceScope const scope{gpu.device};
    for (CopyRecord const& copy : copies) {
        for (Array const& array :
             {Array{at.keys[from], at.keys[to], &Columns<void>::keys, shape.key_bytes},
              Array{at.values[from], at.values[to], &Columns<void>::values, shape.value_bytes}}) {
            std::size_t const bytes = bytes_of(copy.count, array.element_bytes);
            if (bytes == 0) {
                continue;
            }
            auto const target_in = [&](void* buffer) {
                return element(buffer, array.element_bytes, copy.destination_offset);
            };
            void* const source = element(array.from, array.element_bytes, copy.source_offset);
            if (copy.source == gpu.id && copy.destination == gpu.id) {
                copy_async(stream, gpu.device, target_in(array.to), gpu.device, source, bytes);
            } else if (copy.source == gpu.id && !peers.empty()) {
                // The driver infers the destination device from the address.
                copy_bytes(
                    stream, target_in(peers[copy.destination.value].*array.of_rank), source, bytes);
            } else if (copy.source == gpu.id) {
                sends.push_back({copy.destination.value, source, bytes});
            } else if (copy.destination == gpu.id && peers.empty()) {
                receives.push_back({copy.source.value, target_in(array.to), bytes});
            }
        }
    }
    if (peers.empty()) {
        context.ranks->exchange(stream, step, sends, receives);
    }
}

void swap_with_ranks(RunContext const& context,
                     GpuState& gpu,
                     std::span<OwnershipRecord const> ownership,
                     std::span<CopyRecord const> copies) {
    constexpr std::string_view step = "key swap";
    auto const from = static_cast<std::size_t>(gpu.buffers.current);
    std::size_t const to = 1 - from;
    PeerBuffers const peers = agree_on_swap(context, gpu, ownership, copies, to);
    context.mark_chunks_overwritten();
    DeviceScope const scope{gpu.device};
    auto const phase = begin_phase(context, gpu, Phase::key_swap);
    if (!peers.empty()) {
        context.ranks->barrier(gpu.stream, step);
        context.ranks->wait(gpu.stream, step); // see await_scatters()
    }
    exchange_copies(context, gpu, gpu.stream, copies, from, peers, step);
    if (!peers.empty()) {
        context.ranks->barrier(gpu.stream, step);
    }
    context.clock->end(phase);
    gpu.buffers.current = static_cast<int>(to);
}

} // namespace keyswap::kernels
