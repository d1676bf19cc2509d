#pragma once

/// \file How our kernels divide the key swap: every destination's buckets fall into the same number
/// of rounds, so that a GPU sorts what has come while the rest is on its way. Where GPUs share a
/// value, one copy a pair is all there is. Mirrors kernels/sorts/rmg (round_plan.cpp,
/// swap_segments.cpp).

#include "model/buckets/bucket_histogram.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/local_levels.hpp"

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

/// Whether all buckets lie on one GPU each after the first pass.
[[nodiscard]] bool one_pass_places_all(model::Plan const& plan);

/// Shares of the rounds in sixteenths: one round below 2^24 keys a GPU, where launches cost more
/// than what overlaps. Source: kernels/README.md, rounds.
[[nodiscard]] std::span<int const> round_shares(std::uint64_t keys_per_gpu, RoundSort sort);
/// The same of a plan of RMG sort: one round too where one scatter cannot tell so many ranges of
/// images apart, with several passes.
[[nodiscard]] std::span<int const> round_shares(model::Plan const& plan, RoundSort sort);

/// Keys that move in one round, and what each GPU has to know before it may sort them.
struct SwapRound {
    std::vector<std::uint64_t> keys;    ///< [source * gpus + destination]
    std::vector<std::uint64_t> buckets; ///< [destination] how many they are
    /// [g] keys that stay on the GPU, but not where they were scattered: a result would reach them.
    std::vector<std::uint64_t> own_copied;
    /// [g] rounds that the GPU itself must have sent before the result may overwrite their keys.
    std::vector<std::uint32_t> sent_before;
    std::vector<std::uint64_t> filled{}; ///< as keys: those that destinations write; or none
    std::vector<int> fills{};            ///< [destination] stretches of them

    /// Keys that travel. \param pair source * gpus + destination
    [[nodiscard]] std::uint64_t sent(std::size_t pair) const {
        return keys[pair] - (filled.empty() ? 0 : filled[pair]);
    }
};

/// Keys that one GPU owns, that come to it in one round and that it sorts as one: a bucket, half of
/// one, or buckets side by side that begin with the same digit.
struct SwapSegment {
    GpuId gpu;
    std::uint32_t round = 0;
    std::size_t first_bucket = 0; ///< of plan.buckets
    std::size_t end_bucket = 0;
    LocalSegment keys;
};

struct RoundPlan {
    std::vector<SwapRound> rounds;
    std::vector<SwapSegment> segments; ///< ascending

    /// What a GPU sorts of a round.
    [[nodiscard]] std::vector<LocalSegment> arrived(GpuId gpu, std::size_t round) const;
};

/// A destination's round ends with the bucket that reaches the share of its keys; a source's chunk
/// lies at the end of its second buffer: first what it keeps of the last round, then of each round
/// what it sends and what it keeps.
/// \param bits_below_first bits of an image below the digit whose buckets are sorted as one; 0:
/// none
[[nodiscard]] RoundPlan
swap_rounds(model::Plan const& plan, std::span<int const> shares, int bits_below_first);

/// Keys that a GPU takes in a round, from all sources.
[[nodiscard]] std::uint64_t
keys_of_round(SwapRound const& round, std::uint32_t gpu, std::uint32_t gpu_count);

/// Counts the children of all segments, see count_children().
void count_segments(RoundPlan& rounds, model::KeySource& keys);

/// Divides each segment in its middle. \pre its children are counted, and it is a bucket of pass 1
void halve_segments(RoundPlan& rounds);

/// What the scatter tells apart, for each source: its keys of each range of images.
[[nodiscard]] model::BucketHistogram scatter_labels(model::Plan const& plan,
                                                    RoundPlan const& rounds);

} // namespace keyswap::simulator
