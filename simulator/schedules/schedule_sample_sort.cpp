#include "model/sorts/algorithm.hpp"
#include "simulator/schedules/local_sort.hpp"
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
                    builder.kernel(gpu,
                                   kernels.label(builder.key_bytes(), keys, levels),
                                   Phase::histogram,
                                   pass.pass);
                }
            }
        }
    }
    builder.barrier();
}

/// Each GPU sorts its buckets, then copies its whole range back.
void sort_ranges(ScheduleBuilder& builder, model::Plan const& plan, DeviceProfile const& device) {
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
        sort.by_splitters(owned.gpu.value, groups, in_order, LeafMethod::merge);
    }
    builder.barrier();
    for (OwnershipRecord const& owned : plan.ownership) {
        builder.download(owned.gpu.value, owned.count, {});
    }
    builder.barrier();
}

Schedule sort_alone(ScheduleInput const& input) {
    std::uint64_t const keys = input.config.key_count;
    SegmentGroup const all{keys, keys, heavy_keys(*input.keys)};
    return schedule_one_gpu(input, [&](ScheduleBuilder& builder) {
        LocalSort(builder, input.device).by_splitters(0, {&all, 1}, 0, LeafMethod::merge);
    });
}

/// The steps of RMG sort's `rotated` with splitters in place of digits; each GPU then divides its
/// buckets further, down to leaves.
Expected<Schedule> sample_sort(ScheduleInput const& input) {
    if (!input.device.fast) {
        return tl::unexpected(lacks_our_kernels(input.device));
    }
    if (input.config.gpu_count == 1) {
        return sort_alone(input);
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
    sort_ranges(builder, plan, input.device);
    schedule.sort_calls = plan.sort_groups.size();
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace

ScheduleKind const& sample_sort_schedule() {
    static constexpr ScheduleKind kind{
        "sample-sort", "fast", sample_sort, labelled_memory, SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
