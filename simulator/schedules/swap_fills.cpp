#include "simulator/schedules/swap_fills.hpp"

#include <algorithm>

namespace keyswap::simulator {

void fill_one_values(RoundPlan& rounds, model::Plan const& plan) {
    if (plan.config.value_type != ValueType::none) {
        return;
    }
    std::uint32_t const gpus = plan.config.gpu_count;
    for (SwapRound& round : rounds.rounds) {
        round.filled.assign(std::size_t{gpus} * gpus, 0);
        round.fills.assign(gpus, 0);
    }
    for (SwapSegment const& segment : rounds.segments) {
        if (segment.keys.images.lowest != segment.keys.images.highest) {
            continue; // as all segments of several buckets
        }
        // Sources follow each other in the bucket; the GPU takes what lies in its range.
        SwapRound& round = rounds.rounds[segment.round];
        std::uint32_t const gpu = segment.gpu.value;
        OwnershipRecord const& owned = plan.ownership[gpu];
        model::PlannedBucket const& bucket = plan.buckets[segment.first_bucket];
        std::uint64_t position = bucket.placement.begin;
        for (std::uint32_t source = 0; source < gpus; ++source) {
            std::uint64_t const begin = std::max(position, owned.base);
            position += part_size(plan, bucket, GpuId{source});
            std::uint64_t const end = std::min(position, owned.base + owned.count);
            if (source != gpu && end >= begin + filled_keys_min) {
                round.filled[std::size_t{source} * gpus + gpu] += end - begin;
                round.fills[gpu] += 1;
            }
        }
    }
}

} // namespace keyswap::simulator
