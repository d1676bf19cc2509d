#pragma once

/// \file Applies the kernels' planning of key exchanges (kernels/exchange_plan) to a plan of the
/// model: what is sent, filled, scattered and sorted, and when.

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

/// True if there is one pass and it places every bucket on one GPU.
[[nodiscard]] bool one_pass_places_all(model::Plan const& plan);

/// The final buckets of a plan, with the part of each bucket on every GPU.
[[nodiscard]] std::vector<kernels::FinalBucket> final_buckets(model::Plan const& plan);

/// Input of the kernels' choice of rounds. \param to_host the result is copied to host memory
[[nodiscard]] kernels::RoundDemand
round_demand(model::Plan const& plan, bool to_host, kernels::BucketSort sort);

/// Plans the rounds of these buckets, or of pieces that a scatter separates instead.
/// \param bits_below_first see kernels::round_segments()
[[nodiscard]] kernels::SwapRounds exchange_rounds(model::Plan const& plan,
                                                  std::span<kernels::FinalBucket const> buckets,
                                                  std::span<int const> shares,
                                                  int bits_below_first);

/// [g][2 * digits] keys by the first digit and the next bit, see kernels::halved().
[[nodiscard]] std::vector<std::uint64_t> half_counts(model::Plan const& plan,
                                                     model::KeySource& keys);

/// A key exchange, and the segments that each GPU sorts.
struct ExchangePlan {
    kernels::RoundPlan rounds;
    kernels::SwapSends sends;
    std::vector<kernels::SwapSegment> segments; ///< ascending
    std::vector<LocalSegment> sorted;           ///< [segments] as input of a sort, without children

    /// Segments that a GPU sorts after a round.
    [[nodiscard]] std::vector<LocalSegment> arrived(GpuId gpu, std::uint32_t round) const;
    /// Number of keys that a GPU sorts after a round.
    [[nodiscard]] std::uint64_t keys_of_round(GpuId gpu, std::uint32_t round) const;
};

/// Adds the sends and fills of rounds. \param fill_min see kernels::swap_sends()
[[nodiscard]] ExchangePlan exchange_of(kernels::SwapRounds rounds,
                                       std::optional<std::uint64_t> fill_min);

/// Keys of each source by range of images: the labels of the scatter.
[[nodiscard]] model::BucketHistogram scatter_labels(std::span<kernels::SwapSegment const> segments);

} // namespace keyswap::simulator
