#pragma once

/// \file How variant `fast` divides the key swap: every destination's buckets fall into the same
/// number of rounds, so that a GPU sorts what has come while the rest is on its way.

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// What decides the sizes of rounds.
enum class RoundSort {
    steps,   ///< by digit steps, the lowest first: takes longer than the swap
    levels,  ///< by digits from the highest on, and leaves: likewise
    counting ///< by a step and a counting sort: takes about as long
};

/// Shares of the rounds in sixteenths: one round below 2^24 keys a GPU, where launches cost more
/// than what overlaps. Source: kernels/README.md, rounds.
[[nodiscard]] std::span<int const> round_shares(std::uint64_t keys_per_gpu, RoundSort sort);

/// Keys that move in one round, and what each GPU has to know before it may sort them.
struct SwapRound {
    std::vector<std::uint64_t> keys;    ///< [source * gpus + destination]
    std::vector<std::uint64_t> buckets; ///< [destination] how many they are
    /// [g] rounds that the GPU itself must have sent before the result may overwrite their keys.
    std::vector<std::uint32_t> sent_before;
};

/// The rounds of a plan whose buckets are all placed. A destination's round ends with the bucket
/// that reaches the share of its keys; a source's chunk lies at the end of its second buffer, in
/// the order of rounds.
/// \pre every bucket of the plan is placed
[[nodiscard]] std::vector<SwapRound> swap_rounds(model::Plan const& plan,
                                                 std::span<int const> shares);

} // namespace keyswap::simulator
