#pragma once

/// \file The key swap in rounds, and the sort of what has come while later rounds are on their way
/// (round_plan.hpp). Chunks lie scattered in every GPU's buffer 1, where some own parts stay, and
/// arrivals in buffer 0.

#include "kernels/exchange/partition.hpp"
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

/// Of a call's rounds.
[[nodiscard]] RoundDemand round_demand(SortCall const& call, BucketSort sort);

/// Rounds of the keys that all GPUs hold, see plan_rounds() of the exchange plan.
[[nodiscard]] SwapRounds plan_rounds(RunContext const& context,
                                     std::span<FinalBucket const> buckets,
                                     std::span<OwnershipRecord const> ownership,
                                     std::uint64_t capacity,
                                     std::span<int const> shares,
                                     int bits_below_first);

/// Writes ownership, copies and sort ranges to the trace, if there is one.
void record_rounds(RunContext const& context,
                   std::span<FinalBucket const> buckets,
                   std::span<OwnershipRecord const> ownership,
                   SwapRounds const& rounds);

/// What surrounds the sort of a GPU's part of a round. \param i of this process's GPUs
struct RoundSteps {
    std::function<void(std::size_t i, std::uint32_t round)> before;
    std::function<void(std::size_t i, std::uint32_t round)> after; ///< once the sort is queued
};

/// A swap, and what is done with its rounds. All references outlive it.
struct RoundSwap {
    RunContext const& context;
    std::vector<GpuState>& gpus;
    RoundPlan const& plan;
    std::vector<OwnershipRecord> const& ownership;
    SwapSends const& sends;                     ///< of the plan
    std::vector<RoundStreams const*> streams{}; ///< [gpus of this process]
    int result_buffer = 0;
    /// Sorts keep the thread that queues, so that all rounds are queued before the first.
    bool at_once = false;
    /// Sorts a round on all GPUs.
    std::function<void(std::uint32_t round)> sort_round{};
    /// In its place: sorts all rounds, and waits. \pre at_once
    std::function<void(RoundSteps const&)> sort_rounds{};
    /// Records what has come, before anything is sorted; empty where there is no trace.
    std::function<void()> record_arrivals{};
};

/// Sees to it that every rank has the same rounds and sends the same of them; does nothing without
/// ranks. \throws CudaFailure, RankLost
void expect_same_rounds(RunContext const& context,
                        GpuState const& gpu,
                        std::span<OwnershipRecord const> ownership,
                        RoundPlan const& plan,
                        SwapSends const& sends);

/// Lets every GPU send once all have scattered their chunks.
void await_scatters(RoundSwap const& swap);

/// Carries the swap out. With host memory given, each round's result is copied there behind the
/// sort of later ones. Afterwards the result lies in every GPU's current buffer, in its stream.
void swap_and_sort(RoundSwap const& swap, std::optional<HostArrays> const& host);

} // namespace keyswap::kernels
