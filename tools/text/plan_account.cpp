#include "tools/text/plan_account.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "tools/text/bucket_name.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/plan_summary.hpp"
#include "tools/text/step_summary.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <string>

namespace keyswap::tools {

namespace {

constexpr std::size_t row_count_max = 16; ///< rows per table, unless all are requested

std::size_t shown_rows(std::size_t rows, AccountDetail detail) {
    return detail.all ? rows : std::min(rows, row_count_max);
}

void write_rest(std::size_t rows, std::size_t shown, std::ostream& out) {
    if (shown < rows) {
        out << "  ... and " << grouped_count(rows - shown) << " more (--all lists them)\n";
    }
}

std::string gpu_range(GpuId first, GpuId last) {
    return first == last
               ? "GPU " + std::to_string(first.value)
               : "GPUs " + std::to_string(first.value) + " to " + std::to_string(last.value);
}

void write_passes(model::Plan const& plan, std::ostream& out) {
    bool const by_digits = plan.child_bits == 0;
    Table const table({{"pass", 4},
                       {by_digits ? "bits" : "ways", -9, 2},
                       {"refined", 12},
                       {"non-empty", 11},
                       {"placed", 11},
                       {"spanning", 11},
                       {"cut", 11}});
    out << table.header();
    for (PassSummary const& pass : summarize_passes(plan)) {
        out << table.row(pass.pass,
                         by_digits ? formatted("[%d..%d)", pass.end_bit, pass.begin_bit)
                                   : std::to_string(pass.children_most),
                         grouped_count(pass.refined),
                         grouped_count(pass.buckets),
                         grouped_count(pass.placed),
                         grouped_count(pass.spanning),
                         grouped_count(pass.cut));
    }
}

/// Explains why another pass was needed, or how the remaining spanning buckets are cut.
void write_spanning(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    std::vector<PlacementRecord> const spanning = unplaced_buckets(plan);
    if (spanning.empty()) {
        return;
    }
    out << "\nBuckets that span GPUs:\n";
    std::size_t const shown = shown_rows(spanning.size(), detail);
    model::BucketSpace const space = model::bucket_space_of(plan);
    for (PlacementRecord const& placement : std::span(spanning).first(shown)) {
        std::uint64_t const keys = placement.end - placement.begin;
        out << "  pass " << placement.bucket.pass << ", "
            << bucket_name(space, plan.config, placement.bucket) << ": " << counted(keys, "key")
            << " (" << percent_text(keys, plan.config.key_count, 2) << "), "
            << gpu_range(placement.first, placement.last)
            << (placement.state == PlacementState::cut ? ": one key value, cut at the borders"
                                                       : ": refined by the next pass")
            << '\n';
    }
    write_rest(spanning.size(), shown, out);
}

void write_ownership(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    Table const table({{"GPU", 4},
                       {"keys", 20},
                       {"of chunk", 10},
                       {"received", 20},
                       {"sort groups", 13},
                       {"bits to sort", 13}});
    out << '\n' << table.header();
    std::vector<GpuSummary> const gpus = summarize_gpus(plan);
    std::size_t const shown = shown_rows(gpus.size(), detail);
    for (GpuSummary const& gpu : std::span(gpus).first(shown)) {
        out << table.row(
            gpu.gpu.value,
            grouped_count(gpu.keys),
            percent_text(gpu.keys, plan.chunks.size(), 2),
            grouped_count(gpu.received),
            gpu.sort_groups,
            (gpu.end_bit_min == gpu.end_bit_max ? "" : std::to_string(gpu.end_bit_min) + " to ") +
                std::to_string(gpu.end_bit_max));
    }
    write_rest(gpus.size(), shown, out);
}

void write_buckets(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    out << "\nFinal buckets in sorted order:\n";
    model::BucketSpace const space = model::bucket_space_of(plan);
    std::size_t const shown = shown_rows(plan.buckets.size(), detail);
    for (model::PlannedBucket const& bucket : std::span(plan.buckets).first(shown)) {
        PlacementRecord const& placement = bucket.placement;
        out << "  " << bucket_name(space, plan.config, placement.bucket) << "  [" << placement.begin
            << ", " << placement.end << ")  " << gpu_range(placement.first, placement.last)
            << (placement.state == PlacementState::cut ? ", cut" : "") << '\n';
    }
    write_rest(plan.buckets.size(), shown, out);
}

void write_rmg(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    out << finding(plan) << "\n\n";
    if (plan.counts == model::Counts::expected) {
        out << "Counts are the distribution's expected values; those of real keys differ "
               "slightly.\n\n";
    }
    if (!plan.passes.empty()) {
        write_passes(plan, out);
        write_spanning(plan, detail, out);
    }
    write_ownership(plan, detail, out);
    model::PairTotals const swap = model::swap_totals(plan);
    out << "\nKey swap: " << grouped_count(swap.keys) << " of "
        << counted(plan.config.key_count, "key") << " ("
        << percent_text(swap.keys, plan.config.key_count, 1) << ") change GPUs in "
        << grouped_count(swap.copies) << " merged copies.\n"
        << "Balance: the fullest GPU owns " << counted(owned_most(plan), "key")
        << "; an even share C is " << grouped_count(plan.chunks.size()) << ", the limit C + 2E "
        << grouped_count(model::owned_max(plan)) << ".\n";
    if (detail.buckets) {
        write_buckets(plan, detail, out);
    }
}

/// Writes the stages of a sort without buckets.
void write_stages(model::SortPlan const& plan, AccountDetail detail, std::ostream& out) {
    StepSummary const steps = summarize_steps(plan);
    if (steps.partitions > 0) {
        out << "All keys go through " << steps.partitions
            << (steps.partitions == 1 ? " stable partition" : " stable partitions")
            << " by a digit, the lowest first.\n";
        return;
    }
    if (steps.sorted_runs > plan.config().gpu_count) {
        out << grouped_count(steps.sorted_runs) << " runs of at most "
            << grouped_count(steps.longest_run) << " keys are sorted";
    } else {
        out << "Every GPU sorts a chunk of " << counted(plan.chunks().size(), "key");
    }
    if (steps.host_runs > 0) {
        out << "; the CPU merges " << steps.host_runs << " sorted runs.\n";
    }
    if (steps.stages.empty()) {
        out << (steps.host_runs > 0 ? "" : ".\n");
        return;
    }
    out << (steps.host_runs > 0 ? "On the GPUs " : ", then ") << steps.stages.size()
        << (steps.stages.size() == 1 ? " stage" : " stages") << " of copies and merges follow.\n\n";
    Table const table({{"stage", 5}, {"copies", 8}, {"keys copied", 25}, {"merges", 17}});
    out << table.header();
    std::size_t const shown = shown_rows(steps.stages.size(), detail);
    for (std::size_t i = 0; i < shown; ++i) {
        StageSummary const& stage = steps.stages[i];
        out << table.row(
            i + 1, stage.copies.size(), grouped_count(stage.keys_copied()), stage.merges.size());
    }
    write_rest(steps.stages.size(), shown, out);
}

} // namespace

void write_account(model::SortPlan const& plan, AccountDetail detail, std::ostream& out) {
    if (auto const* buckets = plan.buckets()) {
        write_rmg(*buckets, detail, out);
    } else {
        write_stages(plan, detail, out);
    }
}

} // namespace keyswap::tools
