#include "model/sorts/sample/refined_planner.hpp"

#include "model/sorts/rmg/partitioning.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "traces/errors/contracts.hpp"

#include <string>

namespace keyswap::model {

namespace {

/// Plans one pass: children of the spanning buckets, their histograms and placements.
PassPlan plan_refined_pass(Plan const& plan,
                           std::span<PlannedBucket const> spanning,
                           Refinement const& refinement,
                           KeySource& source) {
    std::vector<SpanningBucket> buckets;
    for (PlannedBucket const& bucket : spanning) {
        buckets.push_back({bucket.placement.bucket, images_of(plan, bucket)});
    }
    PassPlan pass;
    pass.pass = buckets.front().bucket.pass + 1;
    RefinedPass refined = refinement.refine(pass.pass, buckets, source);
    pass.refined = std::move(refined.buckets);
    pass.functions = std::move(refined.functions);
    auto const child_count = std::uint32_t{1} << refinement.child_bits();
    pass.histograms = source.histograms(plan.chunks, pass.refined, child_count);
    KEYSWAP_ENSURES(pass.histograms.size() == spanning.size());
    for (std::uint32_t i = 0; i < spanning.size(); ++i) {
        auto const& children = pass.refined[i].children;
        pass.histograms[i].keep_digits(static_cast<std::uint32_t>(children.size()));
        place_children(
            plan.chunks,
            plan.tolerance,
            {spanning[i].placement.begin, spanning[i].placement.end},
            i,
            [&](std::uint32_t child) {
                return ChildBucket{child_of(plan, buckets[i].bucket, child),
                                   children[child].single_valued()};
            },
            pass);
    }
    return pass;
}

} // namespace

Expected<Plan>
plan_refined_sort(SortConfig const& config, Refinement const& refinement, KeySource& source) {
    Plan plan = begin_plan(config, source);
    plan.child_bits = refinement.child_bits();
    std::vector<PlannedBucket> spanning = first_spanning(plan);
    int const passes_most = 64 / refinement.child_bits();
    while (!spanning.empty()) {
        if (plan.pass_count() == passes_most) {
            return tl::unexpected(
                InputError{"plan",
                           std::to_string(spanning.size()) + " buckets still span borders after " +
                               std::to_string(passes_most) + " passes",
                           "give a larger tolerance, or more ways or oversampling"});
        }
        plan.passes.push_back(plan_refined_pass(plan, spanning, refinement, source));
        spanning = spanning_buckets(plan.passes.back());
    }
    finish_plan(plan);
    return plan;
}

bool first_pass_suffices(SortConfig const& config,
                         Refinement const& refinement,
                         KeySource& source) {
    Plan plan = begin_plan(config, source);
    plan.child_bits = refinement.child_bits();
    std::vector<PlannedBucket> const spanning = first_spanning(plan);
    return spanning.empty() ||
           spanning_buckets(plan_refined_pass(plan, spanning, refinement, source)).empty();
}

} // namespace keyswap::model
