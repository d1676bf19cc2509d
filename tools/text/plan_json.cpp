#include "tools/text/bucket_name.hpp"
#include "tools/text/json.hpp"
#include "tools/text/plan_account.hpp"
#include "tools/text/plan_fields.hpp"
#include "tools/text/plan_summary.hpp"
#include "tools/text/step_summary.hpp"
#include "traces/format/trace_names.hpp"

#include "model/sorts/rmg/key_swap.hpp"

namespace keyswap::tools {

namespace {

Json placement_json(model::Plan const& plan,
                    model::BucketSpace const& space,
                    PlacementRecord const& placement) {
    return {{"pass", placement.bucket.pass},
            {space.digits() != nullptr ? "prefix" : "keys",
             bucket_name(space, plan.config, placement.bucket)},
            {"begin", placement.begin},
            {"end", placement.end},
            {"first_gpu", placement.first.value},
            {"last_gpu", placement.last.value},
            {"state", to_string(placement.state)}};
}

Json rmg_json(model::Plan const& plan, AccountDetail detail) {
    model::PairTotals const swap = model::swap_totals(plan);
    model::BucketSpace const space = model::bucket_space_of(plan);
    auto const placed = [&](PlacementRecord const& placement) {
        return placement_json(plan, space, placement);
    };
    Json json{{"finding", finding(plan)},
              {"counts", plan.counts == model::Counts::exact ? "exact" : "expected"},
              {"passes_needed", plan.pass_count()},
              {"chunk", plan.chunks.size()},
              {"tolerance", plan.tolerance},
              {"passes", document(summarize_passes(plan))},
              {"not_placed", json_array(unplaced_buckets(plan), placed)},
              {"gpus", document(summarize_gpus(plan))},
              {"balance", {{"most", owned_most(plan)}, {"bound", model::owned_max(plan)}}},
              {"key_swap", {{"moved", swap.keys}, {"copies", swap.copies}}},
              {"bucket_count", plan.buckets.size()}};
    if (detail.buckets) {
        json["buckets"] = json_array(plan.buckets, [&](model::PlannedBucket const& bucket) {
            return placed(bucket.placement);
        });
        json["copies"] = document(model::merged_copies(plan));
    }
    return json;
}

/// Stages of a sort without buckets, with the terms of the trace format.
Json stages_json(model::SortPlan const& plan) {
    StepSummary const steps = summarize_steps(plan);
    Json json{{"chunk", plan.chunks().size()},
              {"owned_max", plan.owned_max()},
              {"sorted_runs", steps.sorted_runs},
              {"longest_run", steps.longest_run}};
    if (steps.partitions > 0) {
        json["partitions"] = steps.partitions;
        return json;
    }
    json["stages"] = document(steps.stages);
    json["cpu_merge_ways"] = steps.host_runs;
    return json;
}

} // namespace

Json plan_json(model::SortPlan const& plan, AccountDetail detail) {
    if (auto const* buckets = plan.buckets()) {
        return rmg_json(*buckets, detail);
    }
    return stages_json(plan);
}

} // namespace keyswap::tools
