#pragma once

/// \file A key swap that gathers, inside a node, all keys for one GPU of another node, and sends
/// them in one message. Source: PXN of NCCL 2.12 ("Doubling all2all Performance with NVIDIA
/// Collective Communication Library 2.12", NVIDIA, 2022): the sender is the GPU next to the adapter
/// on the destination's rail. We differ: a message is gathered completely before it is sent.

#include "simulator/schedules/schedule_builder.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// Kind of a copy in a staged swap, in the order within a round.
enum class ExchangeStep {
    within, ///< between GPUs of a node, or inside one; unstaged
    gather, ///< from a chunk to the sender's first staging buffer, inside the node
    send,   ///< from there to the destination's second staging buffer, over the network
    spread  ///< from there to the keys' final place, inside the destination
};

/// A copy with its position in the order. Offsets are relative to the buffers of its step.
struct StagedCopy {
    std::uint32_t round = 0; ///< 0: copies within nodes; others from 1
    ExchangeStep step = ExchangeStep::within;
    CopyRecord copy;
    std::uint32_t pieces = 1; ///< number of copies it represents
    friend bool operator==(StagedCopy const&, StagedCopy const&) = default;
};

/// Converts the copies of a swap into stages, ascending by round and step.
///
/// In round r every node sends to the r-th next node: GPU i there (counted among the sort's GPUs of
/// its node) gets one message from GPU i of the sending node, modulo the latter's number of GPUs. A
/// node with fewer GPUs than its receiver takes several rounds, so that a GPU gathers for one
/// destination at a time and a destination receives from one node at a time. Hence neither staging
/// buffer holds more than the destination owns after the swap.
///
/// \param copies of one swap, in the order of a flat swap's sources
/// \param pieces [copies] > 1 for a train of copies, contiguous at the source: within a node it is
/// still copied as a train, else its destination spreads as many; empty: all 1
/// \param machines [g] the node of each GPU; arbitrary numbers
[[nodiscard]] std::vector<StagedCopy> node_exchange(std::span<CopyRecord const> copies,
                                                    std::span<std::uint32_t const> machines,
                                                    std::span<std::uint32_t const> pieces = {});

/// Queues the copies of a swap in the order that the schedule's input selects. By node, all GPUs
/// finish a step before the next begins; each GPU issues its copies one after another, as if flat.
/// \param pieces as for node_exchange()
/// \return the number of copies queued, where a train counts as all its copies
std::size_t add_swap(ScheduleBuilder& builder,
                     std::span<CopyRecord const> copies,
                     std::span<std::uint32_t const> pieces = {});

} // namespace keyswap::simulator
