#include "proptests/toy/odd_even_plan.hpp"
#include "simulator/schedules/schedule_builder.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::simulator {

namespace {

/// Starts the copies of all pairs at once, then the merges that depend on them.
void add_stage(ScheduleBuilder& builder,
               model::MergeStage const& stage,
               DeviceProfile const& device) {
    builder.host_work(device.merge_launch_us, Phase::merge);
    builder.barrier();
    for (model::PairSwap const& swap : stage.swaps) {
        builder.peer_copy(swap.lower.value, swap.higher.value, swap.count, Phase::merge);
        builder.peer_copy(swap.higher.value, swap.lower.value, swap.count, Phase::merge);
    }
    builder.barrier();
    for (model::LocalMerge const& merge : stage.merges) {
        std::uint64_t const keys = merge.first_run + merge.second_run;
        builder.kernel(merge.gpu.value, merge_cost(device, builder.record(), keys), Phase::merge);
    }
    builder.barrier();
}

Expected<Schedule> schedule(ScheduleInput const& input) {
    KEYSWAP_TRY(auto const plan, model::plan_odd_even_sort(input.config, *input.keys));
    ScheduleBuilder builder(input);
    Schedule schedule;
    std::uint32_t const gpus = input.config.gpu_count;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        builder.upload(gpu, plan.chunks.of(GpuId{gpu}).size());
    }
    builder.barrier();
    int const bits = key_bits(input.config.key_type);
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        if (std::uint64_t const keys = plan.chunks.of(GpuId{gpu}).size(); keys > 0) {
            builder.kernel(
                gpu, whole_sort_cost(input.device, builder.record(), keys, bits), Phase::sort);
            ++schedule.sort_calls;
        }
    }
    builder.barrier();
    for (model::MergeStage const& stage : plan.stages) {
        add_stage(builder, stage, input.device);
        schedule.copies += 2 * stage.swaps.size();
    }
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        builder.download(gpu, plan.chunks.of(GpuId{gpu}).size(), {});
    }
    builder.barrier();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace

ScheduleKind const& odd_even_schedule() {
    static constexpr ScheduleKind kind{"odd-even", "published", schedule};
    return kind;
}

} // namespace keyswap::simulator
