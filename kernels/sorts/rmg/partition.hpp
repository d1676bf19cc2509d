#pragma once

/// \file The partitioning phase: passes of histogram, exchange, placement and scatter until every
/// bucket has its GPU. Source: RMG paper, section 3.1.

#include "kernels/runtime/phase_clock.hpp"
#include "kernels/runtime/rank.hpp"
#include "kernels/sorts/rmg/swap_plan.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Memory in which the ranks' histograms meet; on the first rank's device and in pinned memory.
struct ExchangeBuffers {
    DeviceBuffer<std::uint64_t> table;         ///< [g][refined buckets][digits]
    DeviceBuffer<PlacementDecision> decisions; ///< [refined buckets][digits]
    PinnedBuffer<std::uint64_t> host_table;    ///< as table
    PinnedBuffer<PlacementDecision> host_decisions;
};

/// Entries that a table of histograms needs at most: g * max(1, g-1) * digits.
[[nodiscard]] std::size_t table_size(std::uint32_t gpu_count, int digit_bits);

/// What does not change during a call.
struct RunContext {
    ElementShape shape;
    KeyShape key_shape;
    PlacementRule rule;
    std::uint64_t key_count = 0;
    std::uint64_t fuse_below = 0;
    std::uint64_t counting_min = 0; ///< see SortOptions
    /// Scatters of keys without values by variant `fast`, which has the memory for it, need not be
    /// stable; the first one encodes the keys.
    bool unstable_scatter = false;
    ImageCode code;
    TraceSink* trace = nullptr;
    PhaseClock* clock = nullptr;
    ExchangeBuffers const* exchange = nullptr;
    InputState* input = nullptr; ///< set to lost before the caller's keys are overwritten
    /// Set to lost before the ranks' places are overwritten; null where the caller's keys lie
    /// elsewhere.
    InputState* chunk_input = nullptr;

    void mark_chunks_overwritten() const {
        if (chunk_input != nullptr) {
            *chunk_input = InputState::lost;
        }
    }
};

/// What the partitioning phase ends with.
struct Partition {
    int passes = 0;
    std::vector<FinalBucket> buckets; ///< ascending; parts lie in each rank's current place
};

/// A bucket that a pass refines, with its part on every rank.
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

/// Decides the first pass. \pre the ranks' keys are raw, in their current places; key_count > 0
[[nodiscard]] FirstPass first_pass(RunContext const& context, std::vector<Rank> const& ranks);

/// Records a first pass that leaves nothing to refine, as the whole partition.
[[nodiscard]] Partition placed_by(RunContext const& context, FirstPass first);

/// \param first the first pass, if it is known already
/// \pre the ranks' keys are images, in the ranks' streams; raw where scatters are unstable
[[nodiscard]] Partition partition(RunContext const& context,
                                  std::vector<Rank>& ranks,
                                  std::optional<FirstPass> first = std::nullopt);

} // namespace keyswap::kernels
