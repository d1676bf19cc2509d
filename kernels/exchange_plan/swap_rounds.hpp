#pragma once

/// \file The whole plan of a swap: what is sent when, and what is sorted as one. Plain C++.

#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"
#include "traces/records/swap_layout.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// What is sent when, and what is sorted as one.
struct SwapRounds {
    RoundPlan plan;
    SwapLayout layout = SwapLayout::by_round;
    std::vector<SwapSegment> segments; ///< ascending
};

/// Rounds of the given shares; one copy a pair of GPUs where these share a bucket.
/// \param chunk_counts [g] keys that each source holds
/// \param capacity keys that a buffer has room for
/// \param bits_below_first see round_segments()
[[nodiscard]] SwapRounds plan_rounds(std::span<FinalBucket const> buckets,
                                     std::span<OwnershipRecord const> ownership,
                                     std::span<std::uint64_t const> chunk_counts,
                                     std::uint64_t capacity,
                                     std::span<int const> shares,
                                     int bits_below_first);

} // namespace keyswap::kernels
