#include "model/sorts/rmg/part_offsets.hpp"

#include "traces/errors/contracts.hpp"

#include <numeric>

namespace keyswap::model {

namespace {

using OffsetsOfPass = std::vector<std::vector<std::uint64_t>>; ///< [histogram][gpu]

/// Offsets of the buckets of `pass` that still span, in bucket order.
OffsetsOfPass offsets_of_spanning(PassPlan const& pass, OffsetsOfPass const& parents) {
    OffsetsOfPass offsets;
    for (PlannedBucket const& bucket : pass.buckets) {
        if (bucket.placement.state != PlacementState::spanning) {
            continue;
        }
        BucketHistogram const& histogram = pass.histograms[bucket.histogram];
        std::vector<std::uint64_t> of_gpu(histogram.gpu_count());
        for (std::uint32_t gpu = 0; gpu < of_gpu.size(); ++gpu) {
            auto const smaller = histogram.of(GpuId{gpu}).first(bucket.digit);
            of_gpu[gpu] =
                std::accumulate(smaller.begin(), smaller.end(), parents[bucket.histogram][gpu]);
        }
        offsets.push_back(std::move(of_gpu));
    }
    return offsets;
}

} // namespace

std::vector<std::vector<std::vector<std::uint64_t>>> part_offsets(Plan const& plan) {
    std::vector<OffsetsOfPass> offsets;
    for (PassPlan const& pass : plan.passes) {
        if (offsets.empty()) {
            offsets.emplace_back(1, std::vector<std::uint64_t>(plan.config.gpu_count, 0));
        } else {
            std::size_t const previous = offsets.size() - 1;
            offsets.push_back(offsets_of_spanning(plan.passes[previous], offsets[previous]));
        }
        KEYSWAP_ENSURES(offsets.back().size() == pass.histograms.size());
    }
    return offsets;
}

} // namespace keyswap::model
