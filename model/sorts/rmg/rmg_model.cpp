#include "model/sorts/rmg/rmg_sort_plan.hpp"

#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "model/sorts/rmg/replay.hpp"

#include <numeric>
#include <utility>

namespace keyswap::model {

namespace {

/// Number of keys on one GPU in the buckets that a pass refines.
std::uint64_t refined_keys(PassPlan const& pass, GpuId gpu) {
    std::uint64_t keys = 0;
    for (BucketHistogram const& histogram : pass.histograms) {
        auto const counts = histogram.of(gpu);
        keys = std::accumulate(counts.begin(), counts.end(), keys);
    }
    return keys;
}

class RmgSortPlan final : public SortPlan {
  public:
    explicit RmgSortPlan(Plan plan) : plan_(std::move(plan)) {}

    SortConfig const& config() const override { return plan_.config; }
    Chunks const& chunks() const override { return plan_.chunks; }
    Plan const* buckets() const override { return &plan_; }
    std::vector<OwnershipRecord> ownership() const override { return plan_.ownership; }
    std::uint64_t owned_max() const override { return model::owned_max(plan_); }
    std::optional<SwapLayout> layout() const override { return SwapLayout::by_bucket; }
    void for_each_step(std::function<void(PlanStep const&)> const& visit) const override {
        for (PassPlan const& pass : plan_.passes) {
            for (GpuId gpu{0}; gpu.value < plan_.config.gpu_count; ++gpu.value) {
                visit(ScatterStep{pass.pass, gpu, refined_keys(pass, gpu)});
            }
        }
        for (CopyRecord const& copy : merged_copies(plan_)) {
            visit(copy);
        }
        for (SortGroup const& group : plan_.sort_groups) {
            visit(SortRangeRecord{group.gpu, group.offset, group.count, 0, group.end_bit});
        }
    }
    int trace_version() const override { return plan_.child_bits == 0 ? 1 : 2; }
    void record(TraceSink& sink) const override { record_plan(plan_, sink); }
    std::optional<Violation> replay(AnyReplayMemory const& memory, TraceSink* sink) const override {
        return std::visit(
            [&](auto const& typed) {
                return replay_rmg_sort(plan_, typed.arrays, typed.scratch, sink);
            },
            memory);
    }

  private:
    Plan plan_;
};

Expected<SortPlanPointer> plan(SortConfig const& config, KeySource& source) {
    return rmg_sort_plan(plan_rmg_sort(config, source));
}

} // namespace

SortPlanPointer rmg_sort_plan(Plan plan) {
    return std::make_unique<RmgSortPlan const>(std::move(plan));
}

Algorithm const& rmg_model() {
    static constexpr Algorithm algorithm{"rmg", Division::buckets, plan};
    return algorithm;
}

} // namespace keyswap::model
