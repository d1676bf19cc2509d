#include "tools/text/bucket_name.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/plan_account.hpp"
#include "tools/text/plan_summary.hpp"
#include "tools/text/step_summary.hpp"

#include "model/sorts/rmg/key_swap.hpp"

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

std::string_view state_name(PlacementState state) {
    switch (state) {
    case PlacementState::placed:
        return "placed";
    case PlacementState::spanning:
        return "spanning";
    case PlacementState::cut:
        break;
    }
    return "cut";
}

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
            {"state", state_name(placement.state)}};
}

Json passes_json(model::Plan const& plan) {
    Json passes = Json::array();
    for (PassSummary const& pass : summarize_passes(plan)) {
        Json row{{"pass", pass.pass}};
        if (plan.child_bits == 0) {
            row["begin_bit"] = pass.begin_bit;
            row["end_bit"] = pass.end_bit;
        } else {
            row["children_most"] = pass.children_most;
        }
        row.update({{"refined", pass.refined},
                    {"buckets", pass.buckets},
                    {"placed", pass.placed},
                    {"spanning", pass.spanning},
                    {"cut", pass.cut}});
        passes.push_back(std::move(row));
    }
    return passes;
}

Json gpus_json(model::Plan const& plan) {
    Json gpus = Json::array();
    for (GpuSummary const& gpu : summarize_gpus(plan)) {
        gpus.push_back({{"gpu", gpu.gpu.value},
                        {"base", gpu.base},
                        {"keys", gpu.keys},
                        {"received", gpu.received},
                        {"sort_groups", gpu.sort_groups},
                        {"end_bit_min", gpu.end_bit_min},
                        {"end_bit_max", gpu.end_bit_max}});
    }
    return gpus;
}

Json copy_json(CopyRecord const& copy) {
    return {{"source", copy.source.value},
            {"source_offset", copy.source_offset},
            {"destination", copy.destination.value},
            {"destination_offset", copy.destination_offset},
            {"count", copy.count}};
}

Json rmg_json(model::Plan const& plan, AccountDetail detail) {
    BalanceSummary const balance = summarize_balance(plan);
    model::BucketSpace const space = model::bucket_space_of(plan);
    Json spanning = Json::array();
    for (SpanningSummary const& bucket : summarize_spanning(plan)) {
        spanning.push_back(placement_json(plan, space, bucket.placement));
    }
    Json json{{"finding", finding(plan)},
              {"counts", plan.counts == model::Counts::exact ? "exact" : "expected"},
              {"passes_needed", plan.pass_count()},
              {"chunk", plan.chunks.size()},
              {"tolerance", plan.tolerance},
              {"passes", passes_json(plan)},
              {"not_placed", spanning},
              {"gpus", gpus_json(plan)},
              {"balance", {{"most", balance.most}, {"bound", balance.bound}}},
              {"key_swap", {{"moved", balance.moved}, {"copies", balance.copies}}},
              {"bucket_count", plan.buckets.size()}};
    if (detail.buckets) {
        Json buckets = Json::array();
        for (model::PlannedBucket const& bucket : plan.buckets) {
            buckets.push_back(placement_json(plan, space, bucket.placement));
        }
        json["buckets"] = buckets;
        Json copies = Json::array();
        for (CopyRecord const& copy : model::merged_copies(plan)) {
            copies.push_back(copy_json(copy));
        }
        json["copies"] = copies;
    }
    return json;
}

/// Stages of a sort without buckets, in the words of a trace.
Json stages_json(model::SortPlan const& plan) {
    StepSummary const steps = summarize_steps(plan);
    Json stages = Json::array();
    for (StageSummary const& stage : steps.stages) {
        Json copies = Json::array();
        for (CopyRecord const& copy : stage.copies) {
            copies.push_back(copy_json(copy));
        }
        Json merges = Json::array();
        for (MergeRecord const& merge : stage.merges) {
            merges.push_back(
                {{"gpu", merge.gpu->value}, {"offset", merge.offset}, {"runs", merge.runs}});
        }
        stages.push_back({{"copies", copies}, {"merges", merges}});
    }
    Json json{{"chunk", plan.chunks().size()},
              {"owned_max", plan.owned_max()},
              {"sorted_runs", steps.sorted_runs},
              {"longest_run", steps.longest_run}};
    if (steps.partitions > 0) {
        json["partitions"] = steps.partitions;
        return json;
    }
    json["stages"] = std::move(stages);
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
