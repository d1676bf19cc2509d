#include "model/sorts/rmg/planner.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"

namespace keyswap::simulator {

namespace {

/// Copies per bucket, ascending by destination, also local ones, in one stream per GPU; one sort
/// bit more than needed; downloads overlap the sort if a GPU has 4 to 128 groups to sort.
Expected<Schedule> schedule(ScheduleInput const& input) {
    model::Plan const plan = model::plan_rmg_sort(input.config, *input.keys);
    if (plan.config.gpu_count == 1) {
        return schedule_one_gpu(input, Phase::bucket_sort);
    }
    auto const add_copies = [&](ScheduleBuilder& builder) { return add_paper_swap(builder, plan); };
    return rmg_schedule(input, plan, RmgProgram::paper, add_copies);
}

} // namespace

ScheduleKind const& rmg_paper_schedule() {
    static constexpr ScheduleKind kind{
        "rmg", "paper", schedule, published_rmg_memory, SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
