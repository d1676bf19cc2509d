#include "model/sorts/merge/merge_model.hpp"

#include "model/sorts/merge/replay_merge.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::model {

namespace {

class MergeSortPlan final : public SortPlan {
  public:
    explicit MergeSortPlan(MergePlan plan) : plan_(std::move(plan)) {}

    SortConfig const& config() const override { return plan_.config; }
    Chunks const& chunks() const override { return plan_.chunks; }
    std::vector<OwnershipRecord> ownership() const override {
        std::vector<OwnershipRecord> ownership;
        for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
            IndexRange const chunk = plan_.chunks.of(gpu);
            ownership.push_back({gpu, chunk.begin, chunk.size()});
        }
        return ownership;
    }
    std::uint64_t owned_max() const override { return plan_.chunks.size(); }
    std::optional<SwapLayout> layout() const override { return std::nullopt; }
    void for_each_step(std::function<void(PlanStep const&)> const& visit) const override;
    int trace_version() const override { return 2; }
    void record(TraceSink& sink) const override {
        for (OwnershipRecord const& owner : ownership()) {
            sink.write(owner);
        }
        for_each_step([&sink](PlanStep const& step) {
            std::visit(
                [&sink](auto const& record) {
                    if constexpr (requires { TraceRecord(record); }) {
                        sink.write(record);
                    }
                },
                step);
        });
    }
    std::optional<Violation> replay(AnyReplayMemory const& memory,
                                    TraceSink* /*sink*/) const override {
        return std::visit(
            [&](auto const& typed) {
                return replay_merge_sort(plan_, typed.arrays, typed.scratch);
            },
            memory);
    }

  private:
    MergePlan plan_;
};

void MergeSortPlan::for_each_step(std::function<void(PlanStep const&)> const& visit) const {
    std::vector<std::uint64_t> run_sizes;
    for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
        for (IndexRange const run : first_runs(plan_, gpu)) {
            run_sizes.push_back(run.size());
            visit(SortRangeRecord{gpu, run.begin, run.size(), 0, key_bits(plan_.config.key_type)});
        }
    }
    int number = 0;
    for (MergeStage const& stage : plan_.stages) {
        for (PairSwap const& swap : stage.swaps) {
            auto const& [lower, lower_offset, higher, higher_offset, count] = swap;
            visit(CopyRecord{lower, lower_offset, higher, higher_offset, count, number});
            visit(CopyRecord{higher, higher_offset, lower, lower_offset, count, number});
        }
        for (LocalMerge const& merge : stage.merges) {
            visit(
                MergeRecord{number, merge.gpu, merge.offset, {merge.first_run, merge.second_run}});
        }
        ++number;
    }
    if (plan_.cpu_merge_ways > 1) {
        visit(MergeRecord{number, std::nullopt, 0, run_sizes});
    }
}

} // namespace

std::vector<IndexRange> first_runs(MergePlan const& plan, GpuId gpu) {
    std::uint64_t const size = plan.chunks.of(gpu).size();
    std::uint64_t const run_keys = plan.run_keys == 0 ? size : plan.run_keys;
    std::vector<IndexRange> runs;
    for (std::uint64_t begin = 0; begin < size; begin += run_keys) {
        runs.push_back({begin, std::min(begin + run_keys, size)});
    }
    return runs;
}

SortPlanPointer merge_sort_plan(MergePlan plan) {
    return std::make_unique<MergeSortPlan const>(std::move(plan));
}

} // namespace keyswap::model
