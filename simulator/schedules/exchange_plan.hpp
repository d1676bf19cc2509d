#pragma once

/// \file The kernels' plan of a key exchange (kernels/exchange_plan) for a plan of the model: what
/// is sent, filled, scattered and sorted, and when.

#include "kernels/exchange_plan/swap_pieces.hpp"
#include "kernels/exchange_plan/swap_rounds.hpp"
#include "kernels/exchange_plan/swap_sends.hpp"
#include "model/buckets/bucket_histogram.hpp"
#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/local_levels.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// Whether all buckets lie on one GPU each after the first pass.
[[nodiscard]] bool one_pass_places_all(model::Plan const& plan);

/// The final buckets of a plan, with the part of each on every GPU.
[[nodiscard]] std::vector<kernels::FinalBucket> final_buckets(model::Plan const& plan);

/// What the kernels' number of rounds depends on. \param to_host the result goes on to host memory
[[nodiscard]] kernels::RoundDemand
round_demand(model::Plan const& plan, bool to_host, kernels::BucketSort sort);

/// Rounds of these buckets, or of pieces that a scatter separates in their place.
/// \param bits_below_first see kernels::round_segments()
[[nodiscard]] kernels::SwapRounds exchange_rounds(model::Plan const& plan,
                                                  std::span<kernels::FinalBucket const> buckets,
                                                  std::span<int const> shares,
                                                  int bits_below_first);

/// [g][2 * digits] keys of each source by the first digit and the next bit, see kernels::halved().
[[nodiscard]] std::vector<std::uint64_t> half_counts(model::Plan const& plan,
                                                     model::KeySource& keys);

/// A key exchange, and what each GPU sorts of it.
struct ExchangePlan {
    kernels::RoundPlan rounds;
    kernels::SwapSends sends;
    std::vector<kernels::SwapSegment> segments; ///< ascending
    std::vector<LocalSegment> sorted;           ///< [segments] their keys; children not counted

    /// What a GPU sorts of a round.
    [[nodiscard]] std::vector<LocalSegment> arrived(GpuId gpu, std::uint32_t round) const;
    /// Keys that a GPU sorts of a round.
    [[nodiscard]] std::uint64_t keys_of_round(GpuId gpu, std::uint32_t round) const;
};

/// \param fill_min see kernels::swap_sends()
[[nodiscard]] ExchangePlan exchange_of(kernels::SwapRounds rounds,
                                       std::optional<std::uint64_t> fill_min);

/// What the scatter separates: keys of each source by range of images.
[[nodiscard]] model::BucketHistogram scatter_labels(std::span<kernels::SwapSegment const> segments);

} // namespace keyswap::simulator
