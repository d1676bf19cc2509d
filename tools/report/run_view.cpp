#include "tools/report/run_view.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/verify/bounds/record_bounds.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <iterator>

namespace keyswap::tools {

namespace {

template <class Type, class... Types>
concept OneOf = (std::same_as<Type, Types> || ...);

/// Limit on bucket parts for counting a plan's merged copies: with 1,024 GPUs and a million buckets
/// it would take minutes.
constexpr std::size_t copies_counted_max = 20'000'000;
/// Limit on first-pass counts kept for charts.
constexpr std::size_t first_counts_max = 4'000'000;

RunView empty_view(RunHeader header) {
    RunView view;
    view.header = std::move(header);
    view.matrix.assign(view.gpu_count() * view.gpu_count(), 0);
    view.sorts.resize(view.gpu_count());
    return view;
}

void add_sort(RunView& view, GpuId gpu, int end_bit) {
    GpuSorts& sorts = view.sorts[gpu.value];
    sorts.end_bit_min = sorts.calls == 0 ? end_bit : std::min(sorts.end_bit_min, end_bit);
    sorts.end_bit_max = std::max(sorts.end_bit_max, end_bit);
    sorts.calls += 1;
}

void add_copy(RunView& view, CopyRecord const& copy) {
    view.matrix[copy.source.value * view.gpu_count() + copy.destination.value] += copy.count;
    *view.copies += copy.source != copy.destination ? 1 : 0;
}

/// Collects the records of a run in any order. GPUs are those of the header.
class ViewBuilder final : public TraceSink {
  public:
    explicit ViewBuilder(RunHeader header) : view_(empty_view(std::move(header))) {}

    void write(TraceRecord const& record) override {
        std::visit([this](auto const& known) { take(known); }, record);
    }

    [[nodiscard]] RunView finish() {
        for (auto& [pass, placements] : view_.passes) {
            std::ranges::stable_sort(placements, {}, &PlacementRecord::begin);
        }
        std::ranges::sort(view_.ownership, {}, &OwnershipRecord::gpu);
        return std::move(view_);
    }

  private:
    void take(PlacementRecord const& record) { view_.passes[record.bucket.pass].push_back(record); }
    void take(OwnershipRecord const& record) { view_.ownership.push_back(record); }
    void take(CopyRecord const& record) { add_copy(view_, record); }
    void take(SortRangeRecord const& record) { add_sort(view_, record.gpu, record.end_bit); }
    void take(PhaseTimeRecord const& record) { view_.times.push_back(record); }
    void take(VerdictRecord const& record) { view_.verdicts.push_back(record); }
    void take(HistogramRecord const& record) {
        if (record.bucket.pass == 0 &&
            view_.gpu_count() * record.counts.size() <= first_counts_max) {
            view_.first_histograms.resize(view_.gpu_count());
            view_.first_histograms[record.gpu.value] = record.counts;
        }
    }
    /// Records that are not shown; a new kind has to be listed here or taken above.
    template <OneOf<RunHeader,
                    BucketFunctionRecord,
                    PartitionRecord,
                    RelaxationRecord,
                    ExternalSortRecord,
                    RangeDivisionRecord,
                    KeyRangeRecord,
                    MergeRecord,
                    DigestRecord> Record>
    void take(Record const& /*record*/) {}

    RunView view_;
};

/// Converts the plan directly: with 1,024 GPUs, a trace would consist mostly of histograms.
RunView view_of_rmg(model::Plan const& plan, RunHeader header) {
    RunView view = empty_view(std::move(header));
    view.expected = plan.counts == model::Counts::expected;
    view.space = model::bucket_space_of(plan);
    for (model::PassPlan const& pass : plan.passes) {
        std::ranges::transform(pass.buckets,
                               std::back_inserter(view.passes[pass.pass]),
                               &model::PlannedBucket::placement);
    }
    if (!plan.passes.empty()) {
        auto const& first = plan.passes.front().histograms.front();
        if (std::size_t{first.gpu_count()} * first.digit_count() <= first_counts_max) {
            for (std::uint32_t gpu = 0; gpu < first.gpu_count(); ++gpu) {
                auto const counts = first.of(GpuId{gpu});
                view.first_histograms.emplace_back(counts.begin(), counts.end());
            }
        }
    }
    view.ownership = plan.ownership;
    if (plan.buckets.size() * view.gpu_count() <= copies_counted_max) {
        std::vector<model::PairTotals> const pairs =
            model::pair_totals(plan, model::SwapCopies::merged);
        std::size_t const gpus = view.gpu_count();
        for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
            view.matrix[pair] = pairs[pair].keys;
            *view.copies += pair / gpus != pair % gpus ? pairs[pair].copies : 0;
        }
    } else {
        view.matrix = model::transfer_matrix(plan);
        view.copies.reset();
    }
    for (model::SortGroup const& group : plan.sort_groups) {
        add_sort(view, group.gpu, group.end_bit);
    }
    return view;
}

} // namespace

model::BucketSpace RunView::bucket_space() const {
    return space ? *space
                 : model::BucketSpace(
                       model::DigitLayout(key_bits(header.key_type), header.digit_bits));
}

RunView run_view_of(model::SortPlan const& plan, RunHeader header) {
    RunView view;
    if (auto const* buckets = plan.buckets()) {
        view = view_of_rmg(*buckets, std::move(header));
    } else {
        ViewBuilder builder(std::move(header));
        plan.record(builder);
        view = builder.finish();
    }
    view.title = "Plan";
    return view;
}

Expected<RunView> run_view_of(model::verify::RecordedRun const& run,
                              std::string const& file,
                              model::verify::VerifyLimits const& limits) {
    KEYSWAP_EXPECTS(run.header.operation == Operation::sort);
    auto const config = model::verify::config_of(run.header);
    if (!config) {
        return input_error(
            file + ", " + config.error().subject, config.error().problem, "record the run again");
    }
    ViewBuilder builder(run.header);
    for (TraceRecord const& record :
         records_of(model::verify::without_impossible_records(run, *config))) {
        builder.write(record);
    }
    RunView view = builder.finish();
    view.space = model::verify::bucket_space_of(*config, run);
    view.title = "Trace " + std::filesystem::path(file).filename().string();
    view.recorded = true;
    view.verification = verification_of(run, limits);
    return view;
}

} // namespace keyswap::tools
