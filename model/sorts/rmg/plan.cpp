#include "model/sorts/rmg/plan.hpp"

#include "traces/errors/contracts.hpp"

namespace keyswap::model {

BucketPrefix child_of(Plan const& plan, BucketPrefix bucket, std::uint32_t column) {
    if (plan.child_bits == 0) {
        return plan.layout.child(bucket, column);
    }
    return {bucket.pass + 1, (bucket.prefix << plan.child_bits) | column};
}

BucketSpace bucket_space_of(Plan const& plan) {
    if (plan.child_bits == 0) {
        return BucketSpace(plan.layout);
    }
    BucketSpace space(plan.layout.key_bits(), plan.child_bits);
    for (PassPlan const& pass : plan.passes) {
        for (RefinedBucket const& refined : pass.refined) {
            space.divide(refined);
        }
    }
    return space;
}

ImageInterval images_of(Plan const& plan, PlannedBucket const& bucket) {
    BucketPrefix const prefix = bucket.placement.bucket;
    if (prefix.pass == 0) {
        return {0, largest_image_of_bits(plan.layout.key_bits())};
    }
    auto const& refined = plan.passes[static_cast<std::size_t>(prefix.pass) - 1].refined;
    if (!refined.empty()) {
        return refined[bucket.histogram].children[bucket.digit];
    }
    return {plan.layout.lowest_image(prefix), plan.layout.highest_image(prefix)};
}

std::uint64_t part_size(Plan const& plan, PlannedBucket const& bucket, GpuId source) {
    int const pass = bucket.placement.bucket.pass;
    if (pass == 0) {
        return plan.chunks.of(source).size();
    }
    PassPlan const& made_in = plan.passes[static_cast<std::size_t>(pass) - 1];
    return made_in.histograms[bucket.histogram].count(source, bucket.digit);
}

std::uint64_t owned_max(Plan const& plan) {
    return plan.chunks.size() + 2 * plan.tolerance;
}

} // namespace keyswap::model
