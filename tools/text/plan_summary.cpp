#include "tools/text/plan_summary.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace keyswap::tools {

namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string fixed_text(double number, int digits) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(digits) << number;
    return text.str();
}

} // namespace

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

std::vector<SpanningSummary> summarize_spanning(model::Plan const& plan) {
    std::vector<SpanningSummary> summaries;
    model::BucketSpace const space = model::bucket_space_of(plan);
    for (model::PassPlan const& pass : plan.passes) {
        for (model::PlannedBucket const& bucket : pass.buckets) {
            PlacementRecord const& placement = bucket.placement;
            if (placement.state == PlacementState::placed) {
                continue;
            }
            summaries.push_back(
                {placement,
                 bucket_name(space, plan.config, placement.bucket),
                 fixed_text(percent(placement.end - placement.begin, plan.config.key_count), 2) +
                     " %"});
        }
    }
    return summaries;
}

std::vector<GpuSummary> summarize_gpus(model::Plan const& plan) {
    std::size_t const gpu_count = plan.config.gpu_count;
    std::vector<GpuSummary> gpus(gpu_count);
    std::vector<std::uint64_t> const matrix = model::transfer_matrix(plan);
    for (std::size_t i = 0; i < gpu_count; ++i) {
        gpus[i].gpu = plan.ownership[i].gpu;
        gpus[i].base = plan.ownership[i].base;
        gpus[i].keys = plan.ownership[i].count;
        gpus[i].chunk_percent_text = fixed_text(percent(gpus[i].keys, plan.chunks.size()), 2);
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
    for (GpuSummary& gpu : gpus) {
        gpu.bits_text =
            gpu.end_bit_min == gpu.end_bit_max
                ? std::to_string(gpu.end_bit_max)
                : std::to_string(gpu.end_bit_min) + " to " + std::to_string(gpu.end_bit_max);
    }
    return gpus;
}

BalanceSummary summarize_balance(model::Plan const& plan) {
    BalanceSummary summary;
    for (OwnershipRecord const& ownership : plan.ownership) {
        summary.most = std::max(summary.most, ownership.count);
    }
    summary.bound = model::owned_max(plan);
    model::PairTotals const swap = model::swap_totals(plan);
    summary.moved = swap.keys;
    summary.copies = swap.copies;
    summary.moved_percent_text =
        fixed_text(percent(summary.moved, plan.config.key_count), 1) + " %";
    return summary;
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
    std::vector<SpanningSummary> const spanning = summarize_spanning(plan);
    if (spanning.empty()) {
        text << ": after the first " << (plan.child_bits == 0 ? "digit" : "pass")
             << " every bucket fits on one GPU.";
        return text.str();
    }
    auto const largest = std::ranges::max_element(spanning, {}, [](SpanningSummary const& bucket) {
        return bucket.placement.end - bucket.placement.begin;
    });
    text << ": the largest bucket that spans GPUs, " << largest->bucket_name << " of pass "
         << largest->placement.bucket.pass << ", holds " << largest->percent_text << " of all keys";
    auto const cut = std::ranges::count_if(spanning, [](SpanningSummary const& bucket) {
        return bucket.placement.state == PlacementState::cut;
    });
    if (cut > 0) {
        text << "; " << format_count(static_cast<std::uint64_t>(cut))
             << (cut == 1 ? " key value is" : " key values are")
             << " so frequent that the last pass cuts " << (cut == 1 ? "it" : "them")
             << " at the borders";
    }
    text << '.';
    return text.str();
}

} // namespace keyswap::tools
