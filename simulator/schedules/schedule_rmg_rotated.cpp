#include "simulator/schedules/schedule_rmg.hpp"

namespace keyswap::simulator {

/// Like the paper's, but destinations start at g+1, adjacent copies are merged, no extra bit is
/// sorted, and the local part is copied last.
ScheduleKind const& rmg_rotated_schedule() {
    static constexpr ScheduleKind kind{
        "rmg",
        "rotated",
        [](ScheduleInput const& input) { return rmg_schedule(input, RmgProgram::rotated); },
        out_of_place_memory,
        SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
