#include "tools/text/step_summary.hpp"

#include <algorithm>
#include <map>

namespace keyswap::tools {

namespace {

/// Groups copies and merges by stage.
struct StageCollector {
    std::map<int, StageSummary>& stages;
    StepSummary& summary;

    void operator()(CopyRecord const& copy) const { stages[copy.stage].copies.push_back(copy); }
    void operator()(MergeRecord const& merge) const {
        if (merge.gpu) {
            stages[merge.stage].merges.push_back(merge);
        } else {
            summary.host_runs += merge.runs.size();
        }
    }
    void operator()(SortRangeRecord const& sort) const {
        ++summary.sorted_runs;
        summary.longest_run = std::max(summary.longest_run, sort.count);
    }
    void operator()(model::ScatterStep const&) const { ++summary.partitions; }
};

} // namespace

std::uint64_t StageSummary::keys_copied() const {
    std::uint64_t keys = 0;
    for (CopyRecord const& copy : copies) {
        keys += copy.count;
    }
    return keys;
}

StepSummary summarize_steps(model::SortPlan const& plan) {
    StepSummary summary;
    std::map<int, StageSummary> stages;
    plan.for_each_step([&](model::PlanStep const& step) {
        std::visit(StageCollector{stages, summary}, step);
    });
    for (auto& [number, stage] : stages) {
        summary.stages.push_back(std::move(stage));
    }
    return summary;
}

} // namespace keyswap::tools
