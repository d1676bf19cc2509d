#include "model/plan.hpp"

#include "traces/contracts.hpp"

namespace keyswap::model {

std::uint64_t part_size(Plan const& plan, PlannedBucket const& bucket, GpuId source) {
    int const pass = bucket.placement.bucket.pass;
    if (pass == 0) {
        return plan.chunks.of(source).size();
    }
    PassPlan const& made_in = plan.passes[static_cast<std::size_t>(pass) - 1];
    return made_in.histograms[bucket.histogram].count(source, bucket.digit);
}

} // namespace keyswap::model
