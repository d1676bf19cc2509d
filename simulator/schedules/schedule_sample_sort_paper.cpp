#include "simulator/schedules/schedule_sample_sort.hpp"

namespace keyswap::simulator {

ScheduleKind const& sample_sort_paper_schedule() {
    static constexpr ScheduleKind kind{
        "sample-sort",
        "paper",
        [](ScheduleInput const& input) { return sample_schedule(input, OwnSort::published); },
        published_sample_memory,
        SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
