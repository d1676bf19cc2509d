#include "model/sorts/rmg/planner.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"

namespace keyswap::simulator {

namespace {

/// Like the paper's, but destinations start at g+1, adjacent copies are merged, no extra bit is
/// sorted, and the local part is copied last.
Expected<Schedule> schedule(ScheduleInput const& input) {
    model::Plan const plan = model::plan_rmg_sort(input.config, *input.keys);
    if (plan.config.gpu_count == 1) {
        return schedule_one_gpu(input, Phase::bucket_sort);
    }
    auto const add_copies = [&](ScheduleBuilder& builder) {
        return add_rotated_swap(builder, plan);
    };
    return rmg_schedule(input, plan, RmgProgram::rotated, add_copies);
}

} // namespace

ScheduleKind const& rmg_rotated_schedule() {
    static constexpr ScheduleKind kind{
        "rmg", "rotated", schedule, out_of_place_memory, SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
