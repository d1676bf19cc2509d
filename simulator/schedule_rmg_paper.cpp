#include "model/key_swap.hpp"
#include "model/planner.hpp"
#include "simulator/schedule_kinds.hpp"
#include "simulator/schedule_rmg.hpp"

namespace keyswap::simulator {

Expected<Schedule> schedule_rmg_paper(ScheduleInput const& input) {
    model::Plan const plan = model::plan_rmg_sort(input.config, *input.keys);
    if (plan.config.gpu_count == 1) {
        return schedule_one_gpu(input);
    }
    return rmg_schedule(input, plan, SortBits::one_too_many, [&](ScheduleBuilder& builder) {
        // Buckets come in sorted order, hence destinations ascend on every source's stream.
        std::size_t copies = 0;
        model::for_each_copy(plan, [&](model::BucketCopy const& bucket) {
            builder.peer_copy(
                bucket.copy.source.value, bucket.copy.destination.value, bucket.copy.count);
            ++copies;
        });
        return copies;
    });
}

} // namespace keyswap::simulator
