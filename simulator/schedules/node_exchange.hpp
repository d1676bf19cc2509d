#pragma once

/// \file A key swap that gathers inside a node what goes to one GPU of another node, so that one
/// message takes it there. Source: PXN of NCCL 2.12 ("Doubling all2all Performance with NVIDIA
/// Collective Communication Library 2.12", NVIDIA, 2022): the GPU that sends is the one beside the
/// adapter on the destination's rail. We differ in that it gathers all of a message before sending.

#include "simulator/schedules/schedule_builder.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// What a copy of a staged swap does, in the order in which a round does it.
enum class ExchangeStep {
    within, ///< between GPUs of a node, or inside one, as without stages
    gather, ///< from a chunk to the sender's first staging buffer, over the node's own links
    send,   ///< from there to the destination's second staging buffer, over the network
    spread  ///< from there to where the keys belong, inside the destination
};

/// A copy with its place in the order. Its offsets count in the buffers that its step names.
struct StagedCopy {
    std::uint32_t round = 0; ///< 0 has the copies within nodes, 1 ... the others
    ExchangeStep step = ExchangeStep::within;
    CopyRecord copy;
    std::uint32_t pieces = 1; ///< copies that it stands for
    friend bool operator==(StagedCopy const&, StagedCopy const&) = default;
};

/// Turns the copies of a swap into stages, ascending by round and step.
///
/// In round r every node sends to the r-th next node: GPU number i there (among the sort's GPUs of
/// its node) gets one message from GPU number i of the sending node, modulo the GPUs that the sort
/// has on it. Where a node has fewer GPUs than the one it sends to, they take several rounds, so
/// that a GPU gathers for one destination at a time, and a destination receives from one node.
/// Therefore neither staging buffer holds more than what the destination owns after the swap.
///
/// \param copies of one swap, in the order in which flat sources send them
/// \param pieces [copies] where each is a train of so many, which lie side by side at their source:
///        those of a node stay trains, and the destination spreads as many; empty: one each
/// \param machines [g] the node of each GPU; any numbers
[[nodiscard]] std::vector<StagedCopy> node_exchange(std::span<CopyRecord const> copies,
                                                    std::span<std::uint32_t const> machines,
                                                    std::span<std::uint32_t const> pieces = {});

/// Queues the copies of a swap in the order that the schedule's input asks for. By node, all GPUs
/// end a step before any begins the next; each GPU's copies follow one another, as they do flat.
/// \param pieces as of node_exchange()
/// \return the number of copies queued, those of a train one by one
std::size_t add_swap(ScheduleBuilder& builder,
                     std::span<CopyRecord const> copies,
                     std::span<std::uint32_t const> pieces = {});

} // namespace keyswap::simulator
