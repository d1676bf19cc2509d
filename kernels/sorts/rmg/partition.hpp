#pragma once

/// \file The partitioning phase: passes of histogram, exchange, placement and scatter until every
/// bucket has its GPU. Source: RMG paper, section 3.1.

#include "kernels/runtime/run_context.hpp"
#include "kernels/sorts/rmg/swap_plan.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// What the partitioning phase ends with.
struct Partition {
    int passes = 0;
    std::vector<FinalBucket> buckets; ///< ascending; parts lie in each GPU's current buffer
};

/// A bucket that a pass refines, with its part on every GPU.
struct SpanningBucket {
    BucketPrefix bucket;
    std::uint64_t begin = 0; ///< global index in sorted order
    std::vector<BucketPart> parts{};
};

/// Histograms and decisions of one pass as the host sees them, until the next pass.
struct PassResult {
    std::uint32_t bucket_count = 0;
    std::uint32_t digit_count = 0;
    std::span<std::uint64_t const> table{};
    std::span<PlacementDecision const> decisions{};

    [[nodiscard]] std::span<std::uint64_t const> histogram(std::size_t gpu, std::size_t i) const {
        return table.subspan((gpu * bucket_count + i) * digit_count, digit_count);
    }
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

/// Decides the first pass. \pre the GPUs' keys are raw, in their current buffers; key_count > 0
[[nodiscard]] FirstPass first_pass(RunContext const& context, std::vector<GpuState> const& gpus);

/// Records a first pass that leaves nothing to refine, as the whole partition.
[[nodiscard]] Partition placed_by(RunContext const& context, FirstPass first);

/// \param first the first pass, if it is known already
/// \pre the GPUs' keys are images, in the GPUs' streams; raw where scatters are unstable
[[nodiscard]] Partition partition(RunContext const& context,
                                  std::vector<GpuState>& gpus,
                                  std::optional<FirstPass> first = std::nullopt);

} // namespace keyswap::kernels
