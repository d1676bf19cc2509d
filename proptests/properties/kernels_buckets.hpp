#pragma once

#include "kernels/exchange_plan/swap_plan.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <vector>

namespace keyswap::proptests {

/// Converts the final buckets of a plan, with their parts, to the kernels' type.
/// \pre the plan's passes read digits
[[nodiscard]] inline std::vector<kernels::FinalBucket> kernels_buckets(model::Plan const& plan) {
    kernels::KeyShape const shape{key_bits(plan.config.key_type), plan.config.digit_bits};
    std::vector<kernels::FinalBucket> buckets;
    std::vector<std::uint64_t> offset(plan.config.gpu_count, 0);
    for (model::PlannedBucket const& planned : plan.buckets) {
        kernels::FinalBucket bucket{
            planned.placement, {}, kernels::images_of_digits(planned.placement.bucket, shape)};
        for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
            std::uint64_t const count = model::part_size(plan, planned, GpuId{gpu});
            bucket.parts.push_back({offset[gpu], count});
            offset[gpu] += count;
        }
        buckets.push_back(std::move(bucket));
    }
    return buckets;
}

} // namespace keyswap::proptests
