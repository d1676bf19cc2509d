#include "model/sorts/merge/p2p_merge.hpp"
#include "simulator/schedules/schedule_builder.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::simulator {

namespace {

/// Each pair exchanges blocks of equal size, in both directions at once; then each GPU merges the
/// kept run with the received one.
void add_stage(ScheduleBuilder& builder,
               model::MergeStage const& stage,
               DeviceProfile const& device,
               Schedule& schedule) {
    builder.host_work(device.merge_launch_us, Phase::merge);
    builder.barrier();
    for (model::PairSwap const& swap : stage.swaps) {
        if (swap.count > 0) {
            builder.peer_copy(swap.lower.value, swap.higher.value, swap.count, Phase::merge);
            builder.peer_copy(swap.higher.value, swap.lower.value, swap.count, Phase::merge);
            schedule.copies += 2;
        }
    }
    builder.barrier();
    for (model::LocalMerge const& merge : stage.merges) {
        std::uint64_t const keys = merge.first_run + merge.second_run;
        if (merge.first_run > 0 && merge.second_run > 0) {
            builder.kernel(
                merge.gpu.value, merge_cost(device, builder.record(), keys), Phase::merge);
        }
    }
    builder.barrier();
}

/// Each GPU sorts its chunk; then stages of pair swaps and local merges. \pre g is a power of two
Expected<Schedule> schedule(ScheduleInput const& input) {
    std::uint32_t const gpus = input.config.gpu_count;
    if (gpus == 1) {
        return schedule_one_gpu(input);
    }
    ScheduleBuilder builder(input);
    Schedule schedule;
    KEYSWAP_TRY(auto const plan, model::plan_p2p_merge_sort(input.config, *input.keys));
    int const bits = key_bits(input.config.key_type);
    builder.upload(plan.chunks);
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t const keys = plan.chunks.of(GpuId{gpu}).size();
        if (keys > 0) {
            builder.image_change(gpu, keys, Phase::sort);
            builder.kernel(
                gpu, whole_sort_cost(input.device, builder.record(), keys, bits), Phase::sort);
            ++schedule.sort_calls;
        }
    }
    builder.barrier();
    for (model::MergeStage const& stage : plan.stages) {
        add_stage(builder, stage, input.device, schedule);
    }
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        builder.image_change(gpu, plan.chunks.of(GpuId{gpu}).size(), Phase::merge);
    }
    builder.barrier();
    builder.download(plan.chunks);
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace

ScheduleKind const& p2p_merge_schedule() {
    static constexpr ScheduleKind kind{"p2p-merge", "published", schedule};
    return kind;
}

} // namespace keyswap::simulator
