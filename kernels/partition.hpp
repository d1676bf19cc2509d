#pragma once

/// \file The partitioning phase: passes of histogram, exchange, placement and scatter until every
/// bucket has its GPU. Source: RMG paper, section 3.1.

#include "kernels/phase_clock.hpp"
#include "kernels/rank.hpp"
#include "kernels/swap_plan.hpp"

#include <cstdint>
#include <optional>
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

/// \pre the ranks' keys are images, in the ranks' streams
[[nodiscard]] Partition partition(RunContext const& context, std::vector<Rank>& ranks);

/// The first pass without its scatter. Returns nothing, and records nothing, where it leaves a
/// spanning bucket. \pre the ranks' keys are raw, in their current places; key_count > 0
[[nodiscard]] std::optional<Partition> place_in_one_pass(RunContext const& context,
                                                         std::vector<Rank> const& ranks);

} // namespace keyswap::kernels
