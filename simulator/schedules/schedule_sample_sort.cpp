#include "simulator/schedules/schedule_sample_sort.hpp"

#include "model/sorts/algorithm.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::simulator {

namespace {

/// Walks of all keys that a pass refines; the scatters follow.
void add_labels(ScheduleBuilder& builder, model::Plan const& plan, DeviceProfile const& device) {
    FastKernels const kernels{device};
    for (model::PassPlan const& pass : plan.passes) {
        for (model::BucketHistogram const& histogram : pass.histograms) {
            int const levels = static_cast<int>(std::bit_width(histogram.digit_count() - 1));
            for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
                std::uint64_t const keys = keys_in(histogram.of(GpuId{gpu}));
                if (keys > 0) {
                    double const concentration =
                        block_spread(histogram, GpuId{gpu}, 0.0, keys).concentration;
                    builder.kernel(gpu,
                                   kernels.label(builder.key_bytes(), keys, levels, concentration),
                                   Phase::histogram,
                                   pass.pass);
                }
            }
        }
    }
    builder.barrier();
}

/// Each GPU sorts its buckets and copies its range back.
void sort_ranges(ScheduleBuilder& builder,
                 model::Plan const& plan,
                 DeviceProfile const& device,
                 SegmentSort segment_sort) {
    LocalSort sort{builder, device};
    for (OwnershipRecord const& owned : plan.ownership) {
        std::vector<SegmentGroup> groups;
        std::uint64_t in_order = 0;
        auto const end =
            std::ranges::upper_bound(plan.sort_groups, owned.gpu, {}, &model::SortGroup::gpu);
        for (auto group =
                 std::ranges::lower_bound(plan.sort_groups, owned.gpu, {}, &model::SortGroup::gpu);
             group != end;
             ++group) {
            if (group->end_bit == 0) {
                in_order += group->count;
            } else {
                groups.push_back({group->count, group->count / group->bucket_count, 0});
            }
        }
        (sort.*segment_sort)(groups, in_order);
        sort.finish(owned.gpu.value, owned.count);
    }
    builder.barrier();
}

Schedule sort_alone(ScheduleInput const& input, SegmentSort segment_sort) {
    std::uint64_t const keys = input.config.key_count;
    SegmentGroup const all{keys, keys, heavy_keys(*input.keys)};
    return schedule_one_gpu(input, [&](ScheduleBuilder& builder) {
        LocalSort sort(builder, input.device);
        (sort.*segment_sort)({&all, 1}, 0);
        sort.finish(0, keys);
    });
}

} // namespace

Expected<Schedule> sample_schedule(ScheduleInput const& input, SegmentSort segment_sort) {
    if (!input.device.fast) {
        return tl::unexpected(lacks_our_kernels(input.device));
    }
    if (input.config.gpu_count == 1) {
        return sort_alone(input, segment_sort);
    }
    auto const sort_plan = (*model::find_algorithm("sample-sort"))->plan(input.config, *input.keys);
    if (!sort_plan) {
        return tl::unexpected(sort_plan.error());
    }
    model::Plan const& plan = *(*sort_plan)->buckets();
    ScheduleBuilder builder(input);
    Schedule schedule;
    add_upload(builder, plan);
    add_labels(builder, plan, input.device);
    ScheduleInput by_splitters = input;
    by_splitters.expected.reset(); // chances are those of digits
    schedule.unsure = add_partitioning(builder, plan, by_splitters, PassCalls::at_once);
    builder.host_work(input.device.swap_launch_us, Phase::key_swap);
    builder.barrier();
    schedule.copies = add_rotated_swap(builder, plan);
    builder.barrier();
    sort_ranges(builder, plan, input.device, segment_sort);
    schedule.sort_calls = plan.sort_groups.size();
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

ScheduleKind const& sample_sort_schedule() {
    static constexpr ScheduleKind kind{
        "sample-sort",
        "fast",
        [](ScheduleInput const& input) { return sample_schedule(input, &LocalSort::by_splitters); },
        labelled_memory,
        SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
