#pragma once

/// \file The complete plan of a swap: what each round sends, and the segments to sort. Plain C++.

#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"
#include "traces/records/swap_layout.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// What each round sends, and the segments to sort.
struct SwapRounds {
    RoundPlan plan;
    SwapLayout layout = SwapLayout::by_round;
    std::vector<SwapSegment> segments; ///< ascending
};

/// Rounds with the given shares; one copy per pair of GPUs if GPUs share a bucket.
/// \param chunk_counts [g] keys of each source
/// \param capacity keys that a buffer can hold
/// \param bits_below_first see round_segments()
[[nodiscard]] SwapRounds plan_rounds(std::span<FinalBucket const> buckets,
                                     std::span<OwnershipRecord const> ownership,
                                     std::span<std::uint64_t const> chunk_counts,
                                     std::uint64_t capacity,
                                     std::span<int const> shares,
                                     int bits_below_first);

} // namespace keyswap::kernels
