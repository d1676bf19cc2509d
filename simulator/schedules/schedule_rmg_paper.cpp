#include "simulator/schedules/schedule_rmg.hpp"

namespace keyswap::simulator {

/// Copies per bucket, ascending by destination, also local ones, in one stream per GPU; one sort
/// bit more than needed; downloads overlap the sort if a GPU has 4 to 128 groups to sort.
ScheduleKind const& rmg_paper_schedule() {
    static constexpr ScheduleKind kind{
        "rmg",
        "paper",
        [](ScheduleInput const& input) { return rmg_schedule(input, RmgProgram::paper); },
        published_rmg_memory,
        SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
