#include "model/sorts/rmg/planner.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/partitioning.hpp"
#include "model/sorts/rmg/placement.hpp"
#include "model/sorts/rmg/sort_groups.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

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

Plan begin_plan(SortConfig const& config, KeySource const& source) {
    KEYSWAP_EXPECTS(validated(config).has_value());
    KEYSWAP_EXPECTS(source.key_count() == config.key_count);
    Plan plan;
    plan.config = config;
    plan.counts = source.counts();
    plan.chunks = Chunks(config.key_count, config.gpu_count);
    plan.layout = DigitLayout(key_bits(config.key_type), config.digit_bits);
    plan.tolerance = tolerance_keys(plan.chunks, config.tolerance_ppm);
    return plan;
}

std::vector<PlannedBucket> first_spanning(Plan const& plan) {
    // A single GPU owns all keys: no bucket spans a border.
    if (plan.config.key_count == 0 || plan.config.gpu_count == 1) {
        return {};
    }
    return {whole_input(plan.chunks)};
}

void finish_plan(Plan& plan) {
    plan.buckets = final_buckets(plan);
    plan.ownership = plan_ownership(plan.chunks, plan.buckets);
    plan.sort_groups = plan_sort_groups(plan);
}

Plan plan_rmg_sort(SortConfig const& config, KeySource& source) {
    Plan plan = begin_plan(config, source);
    std::vector<PlannedBucket> spanning = first_spanning(plan);
    while (!spanning.empty()) {
        plan.passes.push_back(
            plan_pass(plan.chunks, plan.layout, plan.tolerance, spanning, source));
        spanning = spanning_buckets(plan.passes.back());
    }
    KEYSWAP_ENSURES(plan.pass_count() <= plan.layout.pass_count());
    finish_plan(plan);
    return plan;
}

} // namespace keyswap::model
