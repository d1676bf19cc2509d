#include "model/sorts/merge/merge_model.hpp"

#include "model/sorts/merge/replay_merge.hpp"

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
    std::vector<std::uint64_t> chunk_sizes;
    for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
        std::uint64_t const size = plan_.chunks.of(gpu).size();
        if (size > 0) {
            chunk_sizes.push_back(size);
            visit(SortRangeRecord{gpu, 0, size, 0, key_bits(plan_.config.key_type)});
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
            visit(MergeRecord{number, merge.gpu, 0, {merge.first_run, merge.second_run}});
        }
        ++number;
    }
    if (plan_.cpu_merge_ways > 1) {
        visit(MergeRecord{number, std::nullopt, 0, chunk_sizes});
    }
}

} // namespace

SortPlanPointer merge_sort_plan(MergePlan plan) {
    return std::make_unique<MergeSortPlan const>(std::move(plan));
}

} // namespace keyswap::model
