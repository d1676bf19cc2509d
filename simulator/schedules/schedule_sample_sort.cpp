#include "simulator/schedules/schedule_sample_sort.hpp"

#include "model/sorts/algorithm.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/schedules/round_swap.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::simulator {

namespace {

/// Of a tree of splitters; the last level's words say which of them have buckets of their own.
constexpr int tree_levels_max = 8;

/// Walks of all keys that a pass refines; the scatters follow.
void add_labels(ScheduleBuilder& builder, model::Plan const& plan, DeviceProfile const& device) {
    FastKernels const kernels{device};
    for (model::PassPlan const& pass : plan.passes) {
        for (model::BucketHistogram const& histogram : pass.histograms) {
            int const levels = std::min(
                tree_levels_max, static_cast<int>(std::bit_width(histogram.digit_count() - 1)));
            for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
                std::uint64_t const keys = keys_in(histogram.of(GpuId{gpu}));
                if (keys > 0) {
                    double const concentration =
                        block_spread(histogram, GpuId{gpu}, 0.0, keys).concentration;
                    Task task = builder.kernel_task(
                        gpu,
                        kernels.label(builder.key_bytes(), keys, levels, concentration),
                        device.fast->launch_us);
                    task.pass = pass.pass;
                    builder.add(task, Phase::histogram);
                }
            }
        }
    }
    builder.barrier();
}

/// Splitters are drawn from images.
void add_images(ScheduleBuilder& builder,
                model::SortConfig const& config,
                FastKernels const& kernels) {
    if (are_images(config)) {
        return;
    }
    model::Chunks const chunks(config.key_count, config.gpu_count);
    for (GpuId gpu{0}; gpu.value < config.gpu_count; ++gpu.value) {
        KernelCost const cost = kernels.change_images(builder.key_bytes(), chunks.of(gpu).size());
        builder.add(builder.kernel_task(gpu.value, cost, 0.0), std::nullopt);
    }
}

/// Each GPU sorts its buckets and copies its range back.
void sort_ranges(ScheduleBuilder& builder,
                 model::Plan const& plan,
                 DeviceProfile const& device,
                 OwnSort own_sort) {
    LocalSort sort{builder, device};
    for (OwnershipRecord const& owned : plan.ownership) {
        std::vector<LocalSegment> segments;
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
                segments.insert(segments.end(),
                                group->bucket_count,
                                {{}, group->count / group->bucket_count, group->end_bit, {}});
            }
        }
        if (own_sort == OwnSort::splitters) {
            sort.by_splitters(segments, {}, in_order, sample_segments_max);
        } else {
            sort.as_published(segments, {}, in_order);
        }
        sort.finish(owned.gpu.value, owned.count);
    }
    builder.barrier();
}

Schedule sort_on_one_gpu(ScheduleInput const& input, OwnSort own_sort) {
    return schedule_one_gpu(input, [&](ScheduleBuilder& builder) {
        add_images(builder, input.config, FastKernels{input.device});
        LocalSort sort(builder, input.device);
        if (own_sort == OwnSort::splitters) {
            sort.by_splitters(*input.keys, sample_segments_max);
        } else {
            sort.as_published(*input.keys);
        }
        sort.finish(0, input.config.key_count);
    });
}

/// The scatter of the one pass, by labels of a byte that are there already.
void scatter_by_labels(ScheduleBuilder& builder,
                       model::Plan const& plan,
                       DeviceProfile const& device) {
    FastKernels const kernels{device};
    RecordBytes const record = builder.record();
    double const order = positional_order(plan);
    BlockSpreads spreads(plan.passes.front().histograms.front(), order, unstable_tile_keys(record));
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        std::uint64_t const keys = plan.chunks.of(gpu).size();
        if (keys > 0) {
            KernelCost const cost = kernels.unstable_step(record, keys, spreads.of(gpu));
            Task task = builder.kernel_task(gpu.value, cost, 2 * device.fast->launch_us);
            task.pass = 1;
            builder.add(task, Phase::scatter);
        }
    }
    builder.barrier();
}

/// What one pass places travels in rounds, each of which is sorted while later ones do.
Schedule sort_by_rounds(ScheduleInput const& input, model::Plan const& plan) {
    DeviceProfile const& device = input.device;
    ScheduleBuilder builder(input);
    Schedule schedule;
    add_upload(builder, plan);
    add_images(builder, input.config, FastKernels{device});
    // Keys are drawn, and sorted on the host.
    builder.host_work(device.fast->plan_us, Phase::planning, 1);
    builder.barrier();
    add_labels(builder, plan, device);
    builder.host_work(device.fast->plan_us, Phase::planning, 1);
    builder.barrier();
    scatter_by_labels(builder, plan, device);
    constexpr int no_bits = 0; // no two buckets are sorted as one
    ExchangePlan const& rounds = input.facts->of("rounds", [&plan] {
        std::span<int const> const shares =
            kernels::round_shares(plan.chunks.size(), std::nullopt, kernels::BucketSort::levels);
        return exchange_of(exchange_rounds(plan, final_buckets(plan), shares, no_bits),
                           std::nullopt);
    });
    FastKernels const kernels{device};
    KeySample const& sample =
        input.facts->of("sample", [&input] { return sample_keys(*input.keys); });
    schedule.copies =
        add_arrived_rounds(builder, device, rounds, [&](std::vector<LocalSegment> const& segments) {
            return arrived_by_splitters(
                kernels, builder.record(), segments, sample, sample_segments_max);
        });
    schedule.sort_calls = plan.sort_groups.size();
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace

Expected<Schedule> sample_schedule(ScheduleInput const& input, OwnSort own_sort) {
    if (!input.device.fast) {
        return tl::unexpected(lacks_our_kernels(input.device));
    }
    if (input.config.gpu_count == 1) {
        return sort_on_one_gpu(input, own_sort);
    }
    using Planned = Expected<std::shared_ptr<model::SortPlan const>>;
    Planned const& sort_plan = input.facts->of("plan", [&input]() -> Planned {
        return (*model::find_algorithm("sample-sort"))->plan(input.config, *input.keys);
    });
    if (!sort_plan) {
        return tl::unexpected(sort_plan.error());
    }
    model::Plan const& plan = *(*sort_plan)->buckets();
    bool const in_rounds = own_sort == OwnSort::splitters && input.swap == SwapOrder::flat &&
                           input.config.key_count > 0 && one_pass_places_all(plan);
    if (in_rounds) {
        return sort_by_rounds(input, plan);
    }
    ScheduleBuilder builder(input);
    Schedule schedule;
    add_upload(builder, plan);
    add_images(builder, input.config, FastKernels{input.device});
    add_labels(builder, plan, input.device);
    ScheduleInput by_splitters = input;
    by_splitters.expected.reset(); // chances are those of digits
    schedule.unsure = add_partitioning(builder, plan, by_splitters, PassCalls::at_once);
    builder.host_work(input.device.swap_launch_us, Phase::key_swap);
    builder.barrier();
    schedule.copies = add_rotated_swap(builder, plan);
    builder.barrier();
    sort_ranges(builder, plan, input.device, own_sort);
    schedule.sort_calls = plan.sort_groups.size();
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

ScheduleKind const& sample_sort_schedule() {
    static constexpr ScheduleKind kind{
        "sample-sort",
        "fast",
        [](ScheduleInput const& input) { return sample_schedule(input, OwnSort::splitters); },
        labelled_memory,
        SwapOrders::flat_or_by_node};
    return kind;
}

} // namespace keyswap::simulator
