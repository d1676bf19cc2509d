#include "model/planner.hpp"

#include "model/key_swap.hpp"
#include "model/partitioning.hpp"
#include "model/placement.hpp"
#include "model/sort_groups.hpp"
#include "traces/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

/// Runs passes until nothing spans. A single GPU holds everything, so there is nothing to place.
std::vector<PassPlan> plan_passes(Plan const& plan, KeySource& source) {
    std::vector<PassPlan> passes;
    std::vector<PlannedBucket> spanning;
    if (plan.config.key_count > 0 && plan.config.gpu_count > 1) {
        spanning.push_back(whole_input(plan.chunks));
    }
    while (!spanning.empty()) {
        passes.push_back(plan_pass(plan.chunks, plan.layout, plan.tolerance, spanning, source));
        spanning = spanning_buckets(passes.back());
    }
    KEYSWAP_ENSURES(static_cast<int>(passes.size()) <= plan.layout.pass_count());
    return passes;
}

/// The placed and cut buckets of all passes in sorted order.
std::vector<PlannedBucket> final_buckets(Plan const& plan) {
    std::vector<PlannedBucket> buckets;
    if (plan.passes.empty() && plan.config.key_count > 0) {
        buckets.push_back(whole_input(plan.chunks));
        buckets.back().placement.state = PlacementState::placed;
    }
    for (PassPlan const& pass : plan.passes) {
        std::ranges::copy_if(
            pass.buckets, std::back_inserter(buckets), [](PlannedBucket const& bucket) {
                return bucket.placement.state != PlacementState::spanning;
            });
    }
    std::ranges::sort(
        buckets, {}, [](PlannedBucket const& bucket) { return bucket.placement.begin; });
    return buckets;
}

} // namespace

Plan plan_rmg_sort(SortConfig const& config, KeySource& source) {
    KEYSWAP_EXPECTS(validated(config).has_value());
    KEYSWAP_EXPECTS(source.key_count() == config.key_count);
    Plan plan;
    plan.config = config;
    plan.counts = source.counts();
    plan.chunks = Chunks(config.key_count, config.gpu_count);
    plan.layout = DigitLayout(key_bits(config.key_type), config.digit_bits);
    plan.tolerance = tolerance_keys(plan.chunks, config.tolerance_ppm);
    plan.passes = plan_passes(plan, source);
    plan.buckets = final_buckets(plan);
    plan.ownership = plan_ownership(plan.chunks, plan.buckets);
    plan.sort_groups = plan_sort_groups(plan);
    return plan;
}

} // namespace keyswap::model
