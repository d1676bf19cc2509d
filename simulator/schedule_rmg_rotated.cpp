#include "model/key_swap.hpp"
#include "model/planner.hpp"
#include "simulator/schedule_kinds.hpp"
#include "simulator/schedule_rmg.hpp"

#include <algorithm>

namespace keyswap::simulator {

namespace {

/// How long a source waits with a destination: g+1 first, itself last.
std::uint32_t turn(CopyRecord const& copy, std::uint32_t gpu_count) {
    return (copy.destination.value + 2 * gpu_count - copy.source.value - 1) % gpu_count;
}

} // namespace

Expected<Schedule> schedule_rmg_rotated(ScheduleInput const& input) {
    model::Plan const plan = model::plan_rmg_sort(input.config, *input.keys);
    std::uint32_t const gpus = plan.config.gpu_count;
    if (gpus == 1) {
        return schedule_one_gpu(input);
    }
    return rmg_schedule(input, plan, SortBits::needed, [&](ScheduleBuilder& builder) {
        std::vector<CopyRecord> copies = model::merged_copies(plan);
        std::ranges::stable_sort(copies, {}, [&](CopyRecord const& copy) {
            return std::pair{copy.source.value, turn(copy, gpus)};
        });
        for (CopyRecord const& copy : copies) {
            builder.peer_copy(copy.source.value, copy.destination.value, copy.count);
        }
        return copies.size();
    });
}

} // namespace keyswap::simulator
