#include "tools/plan_account.hpp"

#include "model/key_swap.hpp"
#include "model/sort_groups.hpp"
#include "tools/number_text.hpp"
#include "tools/plan_summary.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>

namespace keyswap::tools {

namespace {

constexpr std::size_t row_count_max = 16; ///< of a table, unless all are asked for

std::size_t shown_rows(std::size_t rows, AccountDetail detail) {
    return detail.all ? rows : std::min(rows, row_count_max);
}

void write_rest(std::size_t rows, std::size_t shown, std::ostream& out) {
    if (shown < rows) {
        out << "  ... and " << format_count(rows - shown) << " more (--all lists them)\n";
    }
}

std::string gpu_range(GpuId first, GpuId last) {
    return first == last
               ? "GPU " + std::to_string(first.value)
               : "GPUs " + std::to_string(first.value) + " to " + std::to_string(last.value);
}

void write_passes(model::Plan const& plan, std::ostream& out) {
    out << "pass  bits          refined  non-empty     placed   spanning        cut\n";
    for (PassSummary const& pass : summarize_passes(plan)) {
        std::ostringstream bits;
        bits << '[' << pass.end_bit << ".." << pass.begin_bit << ')';
        out << std::setw(4) << pass.pass << "  " << std::left << std::setw(9) << bits.str()
            << std::right << std::setw(12) << format_count(pass.refined) << std::setw(11)
            << format_count(pass.buckets) << std::setw(11) << format_count(pass.placed)
            << std::setw(11) << format_count(pass.spanning) << std::setw(11)
            << format_count(pass.cut) << '\n';
    }
}

/// Why another pass was needed, or how what was left is cut.
void write_spanning(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    std::vector<SpanningSummary> const spanning = summarize_spanning(plan);
    if (spanning.empty()) {
        return;
    }
    out << "\nBuckets that do not fit one GPU:\n";
    std::size_t const shown = shown_rows(spanning.size(), detail);
    for (SpanningSummary const& bucket : std::span(spanning).first(shown)) {
        out << "  pass " << bucket.placement.bucket.pass << ", " << bucket.prefix_text << ": "
            << format_count(bucket.placement.end - bucket.placement.begin) << " keys ("
            << bucket.percent_text << "), "
            << gpu_range(bucket.placement.first, bucket.placement.last)
            << (bucket.placement.state == PlacementState::cut
                    ? ": one key value, cut at the borders"
                    : ": refined in the next pass")
            << '\n';
    }
    write_rest(spanning.size(), shown, out);
}

void write_ownership(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    out << "\n GPU                keys  of chunk            received  sort groups   bits to sort\n";
    std::vector<GpuSummary> const gpus = summarize_gpus(plan);
    std::size_t const shown = shown_rows(gpus.size(), detail);
    for (GpuSummary const& gpu : std::span(gpus).first(shown)) {
        out << std::setw(4) << gpu.gpu.value << std::setw(20) << format_count(gpu.keys)
            << std::setw(8) << gpu.chunk_percent_text << " %" << std::setw(20)
            << format_count(gpu.received) << std::setw(13) << gpu.sort_groups << std::setw(15)
            << gpu.bits_text << '\n';
    }
    write_rest(gpus.size(), shown, out);
}

void write_buckets(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    out << "\nFinal buckets in sorted order:\n";
    std::size_t const shown = shown_rows(plan.buckets.size(), detail);
    for (model::PlannedBucket const& bucket : std::span(plan.buckets).first(shown)) {
        PlacementRecord const& placement = bucket.placement;
        out << "  " << prefix_text(plan.layout, placement.bucket) << "  [" << placement.begin
            << ", " << placement.end << ")  " << gpu_range(placement.first, placement.last)
            << (placement.state == PlacementState::cut ? ", cut" : "") << '\n';
    }
    write_rest(plan.buckets.size(), shown, out);
}

void write_rmg(model::Plan const& plan, AccountDetail detail, std::ostream& out) {
    out << finding(plan) << "\n\n";
    if (plan.counts == model::Counts::expected) {
        out << "Counts are what the distribution promises; a sample differs a little.\n\n";
    }
    if (!plan.passes.empty()) {
        write_passes(plan, out);
        write_spanning(plan, detail, out);
    }
    write_ownership(plan, detail, out);
    BalanceSummary const balance = summarize_balance(plan);
    out << "\nKey swap: " << format_count(balance.moved) << " of "
        << format_count(plan.config.key_count) << " keys (" << balance.moved_percent_text
        << ") change GPUs in " << format_count(balance.copies) << " merged copies.\n"
        << "Balance: the fullest GPU owns " << format_count(balance.most) << " keys; chunk "
        << format_count(plan.chunks.size()) << ", bound C + 2E = " << format_count(balance.bound)
        << ".\n";
    if (detail.buckets) {
        write_buckets(plan, detail, out);
    }
}

void write_merge(model::MergePlan const& plan, AccountDetail detail, std::ostream& out) {
    if (plan.cpu_merge_ways > 0) {
        out << "Every GPU sorts a chunk of " << format_count(plan.chunks.size())
            << " keys; the CPU merges " << plan.cpu_merge_ways << " sorted runs.\n";
        return;
    }
    out << "Every GPU sorts a chunk of " << format_count(plan.chunks.size()) << " keys, then "
        << plan.stages.size() << (plan.stages.size() == 1 ? " stage" : " stages")
        << " of swaps and merges follow.\n\nstage  pairs    keys swapped each way   GPUs that "
           "merge\n";
    std::size_t const shown = shown_rows(plan.stages.size(), detail);
    for (std::size_t i = 0; i < shown; ++i) {
        std::uint64_t swapped = 0;
        for (model::PairSwap const& swap : plan.stages[i].swaps) {
            swapped += swap.count;
        }
        out << std::setw(5) << i + 1 << std::setw(7) << plan.stages[i].swaps.size() << std::setw(25)
            << format_count(swapped) << std::setw(18) << plan.stages[i].merges.size() << '\n';
    }
    write_rest(plan.stages.size(), shown, out);
}

} // namespace

void write_account(model::SortPlan const& plan, AccountDetail detail, std::ostream& out) {
    if (auto const* rmg = std::get_if<model::Plan>(&plan)) {
        write_rmg(*rmg, detail, out);
    } else {
        write_merge(std::get<model::MergePlan>(plan), detail, out);
    }
}

} // namespace keyswap::tools
