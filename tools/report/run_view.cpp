#include "tools/report/run_view.hpp"

#include "model/key_swap.hpp"
#include "model/record_merge_plan.hpp"
#include "traces/trace_reader.hpp"

#include <algorithm>
#include <map>

namespace keyswap::tools {

namespace {

/// Merged copies of a plan are listed, to be counted, up to this many parts of buckets: the list of
/// 1,024 GPUs and a million buckets would take 40 GB.
constexpr std::size_t copies_counted_max = 20'000'000;
/// Counts of the first pass that are kept, for pictures.
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

/// Collects the records of a run, in any order.
class ViewBuilder final : public TraceSink {
  public:
    explicit ViewBuilder(RunHeader header) : view_(empty_view(std::move(header))) {}

    void write(TraceRecord const& record) override {
        std::visit([this](auto const& known) { take(known); }, record);
    }

    /// The view, or the number of a GPU that the header lacks.
    [[nodiscard]] RunView finish() {
        for (auto& [pass, placements] : placements_) {
            std::ranges::stable_sort(
                placements, {}, [](PlacementRecord const& placement) { return placement.begin; });
            view_.passes.push_back({pass, std::move(placements)});
        }
        std::ranges::sort(view_.ownership, {}, &OwnershipRecord::gpu);
        return std::move(view_);
    }

    [[nodiscard]] std::optional<GpuId> unknown_gpu() const { return unknown_gpu_; }

  private:
    bool knows(GpuId gpu) {
        if (gpu.value >= view_.gpu_count()) {
            unknown_gpu_ = gpu;
            return false;
        }
        return true;
    }
    void take(PlacementRecord const& record) {
        if (knows(record.first) && knows(record.last)) {
            placements_[record.bucket.pass].push_back(record);
        }
    }
    void take(OwnershipRecord const& record) {
        if (knows(record.gpu)) {
            view_.ownership.push_back(record);
        }
    }
    void take(CopyRecord const& record) {
        if (knows(record.source) && knows(record.destination)) {
            add_copy(view_, record);
        }
    }
    void take(SortRangeRecord const& record) {
        if (knows(record.gpu)) {
            add_sort(view_, record.gpu, record.end_bit);
        }
    }
    void take(PhaseTimeRecord const& record) {
        if (knows(record.gpu)) {
            view_.times.push_back(record);
        }
    }
    void take(VerdictRecord const& record) { view_.verdicts.push_back(record); }
    void take(RunHeader const&) {}
    void take(HistogramRecord const& record) {
        if (record.bucket.pass == 0 && knows(record.gpu) &&
            view_.gpu_count() * record.counts.size() <= first_counts_max) {
            view_.first_histograms.resize(view_.gpu_count());
            view_.first_histograms[record.gpu.value] = record.counts;
        }
    }
    void take(DigestRecord const&) {}

    RunView view_;
    std::map<int, std::vector<PlacementRecord>> placements_;
    std::optional<GpuId> unknown_gpu_;
};

/// Straight from the plan: a trace of 1,024 GPUs would be all histograms.
RunView view_of_rmg(model::Plan const& plan, RunHeader header) {
    RunView view = empty_view(std::move(header));
    view.expected = plan.counts == model::Counts::expected;
    for (model::PassPlan const& pass : plan.passes) {
        PassView shown{pass.pass, {}};
        shown.placements.reserve(pass.buckets.size());
        for (model::PlannedBucket const& bucket : pass.buckets) {
            shown.placements.push_back(bucket.placement);
        }
        view.passes.push_back(std::move(shown));
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
        for (CopyRecord const& copy : model::merged_copies(plan)) {
            add_copy(view, copy);
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

RunView run_view_of(model::SortPlan const& plan, RunHeader header) {
    RunView view;
    if (auto const* rmg = std::get_if<model::Plan>(&plan)) {
        view = view_of_rmg(*rmg, std::move(header));
    } else {
        ViewBuilder builder(std::move(header));
        model::record_merge_plan(std::get<model::MergePlan>(plan), builder);
        view = builder.finish();
    }
    view.title = "Plan";
    return view;
}

Expected<RunView> read_run_view(std::filesystem::path const& path) {
    auto reader = TraceReader::open(path);
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    auto first = reader->next();
    if (!first) {
        return tl::unexpected(first.error());
    }
    auto const* header = *first ? std::get_if<RunHeader>(&**first) : nullptr;
    if (header == nullptr) {
        return tl::unexpected(
            InputError{path.string(), "has no header", "is it a trace of keyswap?"});
    }
    ViewBuilder builder(*header);
    while (true) {
        auto record = reader->next();
        if (!record) {
            return tl::unexpected(record.error());
        }
        if (!*record) {
            break;
        }
        builder.write(**record);
        if (auto const gpu = builder.unknown_gpu()) {
            return tl::unexpected(InputError{path.string(),
                                             "a record names GPU " + std::to_string(gpu->value) +
                                                 " of " + std::to_string(header->gpus.size()),
                                             "was the trace cut together from two runs?"});
        }
    }
    RunView view = builder.finish();
    view.title = "Trace " + path.filename().string();
    view.recorded = true;
    return view;
}

} // namespace keyswap::tools
