#pragma once

/// \file The key swap in rounds, overlapped with the sort of earlier rounds (round_plan.hpp).
/// Scattered chunks are in every GPU's buffer 1, where some own parts remain; arrivals are in
/// buffer 0.

#include "kernels/exchange/partition.hpp"
#include "kernels/exchange/rank_swap.hpp"
#include "kernels/exchange_plan/swap_rounds.hpp"
#include "kernels/exchange_plan/swap_sends.hpp"
#include "kernels/runtime/round_streams.hpp"
#include "kernels/runtime/run_context.hpp"
#include "kernels/runtime/sort_driver.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Demand of a call for rounds.
[[nodiscard]] RoundDemand round_demand(SortCall const& call, BucketSort sort);

/// Rounds of all GPUs' keys; see plan_rounds() of the exchange plan.
[[nodiscard]] SwapRounds plan_rounds(RunContext const& context,
                                     std::span<FinalBucket const> buckets,
                                     std::span<OwnershipRecord const> ownership,
                                     std::uint64_t capacity,
                                     std::span<int const> shares,
                                     int bits_below_first);

/// Calls around the sort of a GPU's round. \param i index among this process's GPUs
struct RoundSteps {
    std::function<void(std::size_t i, std::uint32_t round)> before;
    std::function<void(std::size_t i, std::uint32_t round)> after; ///< once the sort is queued
};

/// The keys of a sort in rounds. All references must outlive it.
struct RoundKeys {
    RunContext const& context;
    std::vector<GpuState>& gpus; ///< of this process
    std::vector<FinalBucket> const& buckets;
    std::vector<OwnershipRecord> const& ownership; ///< [g]
    SwapRounds const& rounds;

    /// Index of one of this process's GPUs in `gpus`.
    [[nodiscard]] std::size_t index_of(GpuId gpu) const {
        return gpu.value - gpus.front().id.value;
    }
};

/// A swap and the sort of its rounds. All references must outlive it.
struct RoundSwap : RoundKeys {
    SwapSends const& sends;                     ///< of the rounds
    std::vector<RoundStreams const*> streams{}; ///< [gpus of this process]
    int result_buffer = 0;
    /// Queues the transfer of all rounds before the first sort, as sorts block the queuing thread.
    bool at_once = false;
    /// Queues the scatter of all chunks from buffer 0 to buffer 1.
    std::function<void()> scatter{};
    /// Queues the sort of all rounds. Without `at_once`, all GPUs sort a round before the next one,
    /// each in the order of `gpus`.
    std::function<void(RoundSteps const&)> sort_rounds{};
    PeerBuffers peers{}; ///< of the ranks, once they have agreed; empty without ranks
};

/// Runs the scatter, the swap and the sorts, and records them; ranks first verify that all have the
/// same rounds and sends. If `host` is given, downloads each round's result, overlapped with the
/// sort of later ones. Afterwards every GPU's current buffer holds the result, in its stream.
/// \throws CudaFailure, RankLost
void swap_and_sort(RoundSwap swap, std::optional<Columns<void>> const& host);

} // namespace keyswap::kernels
