#pragma once

/// \file The partitioning phase: passes of histogram, exchange, placement and scatter until every
/// bucket is assigned to a GPU. Source: RMG paper, section 3.1.

#include "kernels/exchange/pass_rule.hpp"

#include <optional>
#include <vector>

namespace keyswap::kernels {

/// Result of the partitioning phase.
struct Partition {
    int passes = 0;
    std::vector<FinalBucket> buckets; ///< ascending; parts are in each GPU's current buffer
};

/// A pass before its scatter.
struct PlacedPass {
    std::vector<SpanningBucket> refined; ///< divided by the pass; in the first, the whole input
    PassResult result;
    std::vector<PlacementRecord> placements; ///< of all non-empty children
    std::vector<SpanningBucket> spanning;    ///< children to refine
    std::vector<FinalBucket> final;          ///< all other children

    [[nodiscard]] bool places_all() const { return spanning.empty(); }
};

/// Counts and places the first pass without scattering. \pre the GPUs' current buffers hold the
/// keys, as images unless the rule encodes them; key_count > 0
[[nodiscard]] PlacedPass
first_pass(RunContext const& context, std::vector<GpuState> const& gpus, PassRule& rule);

/// Records a first pass that places all buckets, as the complete partition.
[[nodiscard]] Partition
record_single_pass(RunContext const& context, PassRule const& rule, PlacedPass first);

/// \param first the first pass, if already computed
/// \pre the GPUs' streams have images queued, or raw keys if the rule encodes them
[[nodiscard]] Partition partition(RunContext const& context,
                                  std::vector<GpuState>& gpus,
                                  PassRule& rule,
                                  std::optional<PlacedPass> first = std::nullopt);

} // namespace keyswap::kernels
