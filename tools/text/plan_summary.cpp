#include "tools/text/plan_summary.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <sstream>

namespace keyswap::tools {

std::string percent_text(std::uint64_t part, std::uint64_t whole, int digits) {
    double const percent =
        whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return formatted("%.*f %%", digits, percent);
}

std::vector<PassSummary> summarize_passes(model::Plan const& plan) {
    std::vector<PassSummary> summaries;
    for (model::PassPlan const& pass : plan.passes) {
        PassSummary summary;
        summary.pass = pass.pass;
        if (pass.refined.empty()) {
            summary.begin_bit = plan.layout.bits_below(pass.pass);
            summary.end_bit = plan.layout.bits_below(pass.pass - 1);
        }
        for (model::RefinedBucket const& refined : pass.refined) {
            summary.children_most = std::max(summary.children_most, refined.children.size());
        }
        summary.refined = pass.histograms.size();
        summary.buckets = pass.buckets.size();
        for (model::PlannedBucket const& bucket : pass.buckets) {
            PlacementState const state = bucket.placement.state;
            summary.placed += state == PlacementState::placed ? 1 : 0;
            summary.spanning += state == PlacementState::spanning ? 1 : 0;
            summary.cut += state == PlacementState::cut ? 1 : 0;
        }
        summaries.push_back(summary);
    }
    return summaries;
}

std::vector<PlacementRecord> unplaced_buckets(model::Plan const& plan) {
    std::vector<PlacementRecord> spanning;
    for (model::PassPlan const& pass : plan.passes) {
        for (model::PlannedBucket const& bucket : pass.buckets) {
            if (bucket.placement.state != PlacementState::placed) {
                spanning.push_back(bucket.placement);
            }
        }
    }
    return spanning;
}

std::vector<GpuSummary> summarize_gpus(model::Plan const& plan) {
    std::size_t const gpu_count = plan.config.gpu_count;
    std::vector<GpuSummary> gpus(gpu_count);
    std::vector<std::uint64_t> const matrix = model::transfer_matrix(plan);
    for (std::size_t i = 0; i < gpu_count; ++i) {
        gpus[i].gpu = plan.ownership[i].gpu;
        gpus[i].base = plan.ownership[i].base;
        gpus[i].keys = plan.ownership[i].count;
        for (std::size_t source = 0; source < gpu_count; ++source) {
            gpus[i].received += source == i ? 0 : matrix[source * gpu_count + i];
        }
    }
    for (model::SortGroup const& group : plan.sort_groups) {
        GpuSummary& gpu = gpus[group.gpu.value];
        gpu.end_bit_min =
            gpu.sort_groups == 0 ? group.end_bit : std::min(gpu.end_bit_min, group.end_bit);
        gpu.end_bit_max = std::max(gpu.end_bit_max, group.end_bit);
        gpu.sort_groups += 1;
    }
    return gpus;
}

std::uint64_t owned_most(model::Plan const& plan) {
    return std::ranges::max(plan.ownership, {}, &OwnershipRecord::count).count;
}

std::string finding(model::Plan const& plan) {
    if (plan.config.key_count == 0) {
        return "There are no keys: nothing is partitioned, moved or sorted.";
    }
    if (plan.config.gpu_count == 1) {
        return "One GPU holds everything: no partitioning, one sort of all bits.";
    }
    std::ostringstream text;
    text << plan.pass_count() << (plan.pass_count() == 1 ? " pass is" : " passes are") << " needed";
    std::vector<PlacementRecord> const spanning = unplaced_buckets(plan);
    if (spanning.empty()) {
        text << ": after the first " << (plan.child_bits == 0 ? "digit" : "pass")
             << " every bucket fits on one GPU.";
        return text.str();
    }
    auto const size_of = [](PlacementRecord const& bucket) { return bucket.end - bucket.begin; };
    PlacementRecord const& largest = *std::ranges::max_element(spanning, {}, size_of);
    text << ": the largest bucket that spans GPUs, "
         << bucket_name(model::bucket_space_of(plan), plan.config, largest.bucket) << " of pass "
         << largest.bucket.pass << ", holds "
         << percent_text(size_of(largest), plan.config.key_count, 2) << " of all keys";
    auto const cut = std::ranges::count(spanning, PlacementState::cut, &PlacementRecord::state);
    if (cut > 0) {
        text << "; " << grouped_count(static_cast<std::uint64_t>(cut))
             << (cut == 1 ? " key value is" : " key values are")
             << " so frequent that the last pass cuts " << (cut == 1 ? "it" : "them")
             << " at the borders";
    }
    text << '.';
    return text.str();
}

} // namespace keyswap::tools
