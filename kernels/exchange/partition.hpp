#pragma once

/// \file The partitioning phase: passes of histogram, exchange, placement and scatter until every
/// bucket has its GPU. Source: RMG paper, section 3.1.

#include "kernels/exchange/pass_rule.hpp"

#include <optional>
#include <vector>

namespace keyswap::kernels {

/// What the partitioning phase ends with.
struct Partition {
    int passes = 0;
    std::vector<FinalBucket> buckets; ///< ascending; parts lie in each GPU's current buffer
};

/// What a pass makes of the buckets that it refined.
struct SubBuckets {
    std::vector<PlacementRecord> placements; ///< of all non-empty ones
    std::vector<SpanningBucket> spanning;
    std::vector<FinalBucket> final;
};

/// The first pass without its scatter.
struct FirstPass {
    std::vector<SpanningBucket> refined; ///< the whole input
    PassResult result;
    SubBuckets subs;

    [[nodiscard]] bool places_all() const { return subs.spanning.empty(); }
};

/// Decides the first pass, without its scatter. \pre the GPUs' keys lie in their current buffers,
/// as images unless the rule encodes them; key_count > 0
[[nodiscard]] FirstPass
first_pass(RunContext const& context, std::vector<GpuState> const& gpus, PassRule& rule);

/// Records a first pass that leaves nothing to refine, as the whole partition.
[[nodiscard]] Partition placed_by(RunContext const& context, PassRule const& rule, FirstPass first);

/// \param first the first pass, if it is known already
/// \pre the GPUs' keys are images, in the GPUs' streams; raw where the rule encodes them
[[nodiscard]] Partition partition(RunContext const& context,
                                  std::vector<GpuState>& gpus,
                                  PassRule& rule,
                                  std::optional<FirstPass> first = std::nullopt);

} // namespace keyswap::kernels
