#include "simulator/schedules/schedule_rmg.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "model/sorts/rmg/sort_groups.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/library_sorts.hpp"
#include "simulator/schedules/node_exchange.hpp"
#include "simulator/schedules/scatter_chance.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::simulator {

namespace {

/// Scatters with a chance below this, or above 1 minus this, count as certain.
constexpr double chance_reported = 0.01;

/// Our program scatters by a library sort on one digit, and copies the result back unless it is the
/// whole chunk.
void add_our_scatter(ScheduleBuilder& builder,
                     DeviceProfile const& device,
                     LibrarySort const& sort,
                     std::uint32_t gpu,
                     std::uint64_t copied_back,
                     int pass) {
    LibraryQueue(builder, device).sort(gpu, sort, Phase::scatter, pass);
    if (copied_back > 0) {
        KernelCost const cost = FastKernels{device}.copy(copied_back * builder.record_bytes());
        builder.add(builder.kernel_task(gpu, cost, device.peer_copy_launch_us, pass),
                    Phase::scatter);
    }
}

/// The scatters of one bucket.
struct Scatters {
    std::uint32_t kernels = 0;                 ///< GPUs with a scatter in the graph
    std::optional<UncertainScatter> uncertain; ///< nullopt if certain
};

/// Adds each GPU's scatter of its part of a bucket; a part with a single digit needs none. If a few
/// keys decide, the more probable case is added.
/// \param called dependencies instead of the last barrier, unless empty
Scatters add_scatters(ScheduleBuilder& builder,
                      model::Plan const& plan,
                      ScheduleInput const& input,
                      model::BucketHistogram const& histogram,
                      double order,
                      int pass,
                      std::span<TaskId const> called) {
    std::uint32_t kernels = 0;
    double const chance = scatter_chance(input, plan, histogram);
    UncertainScatter uncertain{pass, chance, SimTime{}};
    BlockSpreads spreads(histogram, order, partition_block_keys(builder.key_bytes()));
    for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
        auto const counts = histogram.of(GpuId{gpu});
        bool const has_two =
            std::ranges::count_if(counts, [](std::uint64_t count) { return count > 0; }) > 1;
        if (keys_in(counts) == 0 || (chance == 1.0 && !has_two)) {
            continue;
        }
        std::uint64_t const keys = keys_in(counts);
        kernels += chance >= 0.5 ? 1 : 0;
        if (builder.uses_fast_kernels()) {
            LibrarySort const sort =
                library_sort(builder, input.device, keys, plan.layout.bits_of(pass));
            uncertain.duration = std::max(uncertain.duration, sort.duration());
            if (chance >= 0.5) {
                bool const is_all = keys == plan.chunks.of(GpuId{gpu}).size();
                add_our_scatter(builder, input.device, sort, gpu, is_all ? 0 : keys, pass);
            }
            continue;
        }
        KernelCost const cost =
            scatter_cost(input.device, builder.record(), keys, spreads.of(GpuId{gpu}));
        uncertain.duration = std::max(uncertain.duration, cost.duration);
        if (chance >= 0.5) {
            builder.kernel(gpu, cost, Phase::scatter, pass, called);
        }
    }
    bool const is_uncertain = chance >= chance_reported && chance <= 1.0 - chance_reported;
    return {kernels, is_uncertain ? std::optional(uncertain) : std::nullopt};
}

/// Adds each GPU's histogram of its part of a bucket.
/// \param called dependencies instead of the last barrier, unless empty
/// \return the number of GPUs with keys
std::uint32_t add_histograms(ScheduleBuilder& builder,
                             DeviceProfile const& device,
                             model::BucketHistogram const& histogram,
                             std::uint32_t gpus,
                             int pass,
                             std::span<TaskId const> called) {
    std::uint32_t kernels = 0;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t const keys = keys_in(histogram.of(GpuId{gpu}));
        if (keys == 0) {
            continue;
        }
        kernels += 1;
        if (builder.uses_fast_kernels()) {
            KernelCost const cost = FastKernels{device}.histogram(builder.key_bytes(), keys);
            builder.add(builder.kernel_task(gpu, cost, device.fast->launch_us, pass),
                        Phase::histogram);
        } else {
            builder.kernel(gpu,
                           histogram_cost(device, builder.key_bytes(), keys),
                           Phase::histogram,
                           pass,
                           called);
        }
    }
    return kernels;
}

/// Dependencies of the kernels for a pass's next bucket, if the host thread launches bucket by
/// bucket on all GPUs. Kernels of the first bucket start with the pass: the later launch on the
/// last GPU shows in no single GPU's phases.
/// \param kernels number launched for the previous bucket; 0 before the first
/// \param called dependencies of these
std::vector<TaskId> occupy_host(ScheduleBuilder& builder,
                                RmgProgram program,
                                std::uint32_t kernels,
                                std::vector<TaskId> called,
                                double queue_us) {
    if (program != RmgProgram::paper || kernels == 0) {
        return called;
    }
    return {builder.occupy_host(kernels * queue_us)};
}

int bits_to_sort(model::Plan const& plan, model::SortGroup const& group, RmgProgram program) {
    if (group.end_bit == 0 || program != RmgProgram::paper) {
        return group.end_bit;
    }
    int const key_bits = plan.layout.key_bits();
    return group.extent == model::GroupExtent::whole_range ? key_bits
                                                           : std::min(key_bits, group.end_bit + 1);
}

/// Groups run concurrently in several streams, so none ends before `lag` of their joint time. As
/// sequential durations: ends_i = joint * lag + (1 - lag) * (d_1 + ... + d_i).
void delay_first_end(std::vector<KernelCost>& costs, double lag) {
    double joint = 0.0;
    for (KernelCost const& cost : costs) {
        joint += to_seconds(cost.duration);
    }
    bool first = true;
    for (KernelCost& cost : costs) {
        double const own = to_seconds(cost.duration);
        if (own == 0.0) {
            continue;
        }
        double const now = (1.0 - lag) * own + (first ? lag * joint : 0.0);
        cost.duration = from_seconds(now);
        cost.hbm_bytes =
            static_cast<std::uint64_t>(static_cast<double>(cost.hbm_bytes) * now / own);
        first = false;
    }
}

/// Downloads a GPU's groups: each after its sort, or all in one copy if few are sorted.
/// \param sorted [groups] sort tasks; nullopt for groups that need no sort
/// \return number of sorts
std::size_t add_downloads(ScheduleBuilder& builder,
                          std::span<model::SortGroup const> groups,
                          std::span<std::optional<TaskId> const> sorted,
                          std::uint64_t owned_count) {
    std::uint32_t const gpu = groups.front().gpu.value;
    auto const calls = static_cast<std::size_t>(
        std::ranges::count_if(sorted, [](auto const& task) { return task.has_value(); }));
    std::vector<TaskId> last;
    for (std::size_t index = 0; index < groups.size(); ++index) {
        std::vector<TaskId> own;
        if (sorted[index]) {
            own.push_back(*sorted[index]);
            last = own;
        }
        if (calls >= model::overlap_group_count_min) {
            builder.download(gpu, groups[index].count, own, CopyExtent::piece);
        }
    }
    if (calls < model::overlap_group_count_min) {
        builder.download(gpu, owned_count, last);
    }
    return calls;
}

/// As published: groups on several streams. \return [groups] sort tasks
std::vector<std::optional<TaskId>> add_side_by_side(ScheduleBuilder& builder,
                                                    model::Plan const& plan,
                                                    DeviceProfile const& device,
                                                    std::span<model::SortGroup const> groups,
                                                    RmgProgram program) {
    std::vector<KernelCost> costs;
    for (model::SortGroup const& group : groups) {
        costs.push_back(
            sort_cost(device, builder.record(), group.count, bits_to_sort(plan, group, program)));
    }
    auto const takes_time = [](KernelCost const& cost) { return cost.duration > SimTime{}; };
    auto const calls = static_cast<std::size_t>(std::ranges::count_if(costs, takes_time));
    if (calls >= model::overlap_group_count_min) {
        delay_first_end(costs, device.sort_lag);
    }
    std::vector<std::optional<TaskId>> sorted(groups.size());
    for (std::size_t index = 0; index < groups.size(); ++index) {
        if (takes_time(costs[index])) {
            sorted[index] =
                builder.kernel(groups[index].gpu.value, costs[index], Phase::bucket_sort);
        }
    }
    return sorted;
}

/// Calls with which our program downloads a group during the sort of later ones: an event is
/// recorded and awaited, and the keys are copied, as are values.
int download_calls(ScheduleBuilder const& builder) {
    return 3 + (builder.record_bytes() > builder.key_bytes() ? 1 : 0);
}

/// As our program: groups one after another. \return [groups] sort tasks
std::vector<std::optional<TaskId>> add_in_turn(ScheduleBuilder& builder,
                                               LibraryQueue& queue,
                                               DeviceProfile const& device,
                                               std::span<model::SortGroup const> groups) {
    std::vector<std::optional<TaskId>> sorted(groups.size());
    std::uint32_t const gpu = groups.front().gpu.value;
    bool const overlaps =
        builder.needs_download(gpu) && groups.size() >= model::overlap_group_count_min;
    for (std::size_t index = 0; index < groups.size(); ++index) {
        model::SortGroup const& group = groups[index];
        LibrarySort const sort = library_sort(builder, device, group.count, group.end_bit);
        if (sort.calls > 0) {
            sorted[index] = queue.sort(group.gpu.value, sort, Phase::bucket_sort);
        }
        queue.change_back(group.gpu.value, group.count);
        if (overlaps) {
            builder.calls_ahead(gpu, download_calls(builder));
        }
    }
    return sorted;
}

/// Most copies simulated individually: 72 GPUs have 1.3 million copies, 576 have 85 million.
constexpr std::uint64_t single_copies_max = 2'000'000;

/// Queues the copies of each pair of GPUs as one train if there are too many copies.
/// \param turn (source, destination): key by which a source's trains are ordered, ascending
/// \return number of copies in all trains; nullopt if copies must be queued individually
template <class Turn>
std::optional<std::size_t> add_trains(ScheduleBuilder& builder,
                                      model::Plan const& plan,
                                      model::SwapCopies counted,
                                      Turn turn) {
    std::uint32_t const gpus = plan.config.gpu_count;
    bool const may_be_many = plan.buckets.size() * gpus > single_copies_max / 2;
    if (!may_be_many) {
        return std::nullopt;
    }
    std::vector<model::PairTotals> const pairs = model::pair_totals(plan, counted);
    std::uint64_t copies = 0;
    for (model::PairTotals const& pair : pairs) {
        copies += pair.copies;
    }
    if (copies <= single_copies_max) {
        return std::nullopt;
    }
    std::vector<CopyRecord> trains;
    std::vector<std::uint32_t> pieces;
    std::vector<std::uint32_t> destinations(gpus);
    std::iota(destinations.begin(), destinations.end(), 0U);
    for (std::uint32_t source = 0; source < gpus; ++source) {
        std::ranges::sort(destinations, {}, [&](std::uint32_t gpu) { return turn(source, gpu); });
        for (std::uint32_t const destination : destinations) {
            model::PairTotals const& pair = pairs[std::size_t{source} * gpus + destination];
            if (pair.keys > 0) {
                // A train's offsets do not matter: it is simulated as one flow.
                trains.push_back({GpuId{source}, 0, GpuId{destination}, 0, pair.keys});
                pieces.push_back(static_cast<std::uint32_t>(pair.copies));
            }
        }
    }
    return add_swap(builder, trains, pieces);
}

/// Histograms and scatters of every pass; the host plans during the scatter. Barriers as published:
/// after the exchange of histograms and after the scatter.
/// \return scatters that are uncertain; the graph has the more probable case
std::vector<UncertainScatter> add_partitioning(ScheduleBuilder& builder,
                                               model::Plan const& plan,
                                               ScheduleInput const& input,
                                               RmgProgram program) {
    DeviceProfile const& device = input.device;
    double const order = positional_order(plan);
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<UncertainScatter> uncertain;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        builder.image_change(gpu, plan.chunks.of(GpuId{gpu}).size(), Phase::histogram);
    }
    builder.barrier();
    for (model::PassPlan const& pass : plan.passes) {
        std::uint32_t kernels = 0;
        std::vector<TaskId> called;
        for (model::BucketHistogram const& bucket : pass.histograms) {
            called = occupy_host(builder, program, kernels, called, device.histogram_queue_us);
            kernels = add_histograms(builder, device, bucket, gpus, pass.pass, called);
        }
        builder.barrier();
        kernels = 0;
        called.clear();
        for (model::BucketHistogram const& bucket : pass.histograms) {
            called = occupy_host(builder, program, kernels, called, device.scatter_queue_us);
            auto const scatters =
                add_scatters(builder, plan, input, bucket, order, pass.pass, called);
            kernels = scatters.kernels;
            if (scatters.uncertain) {
                uncertain.push_back(*scatters.uncertain);
            }
        }
        bool const is_first = pass.pass == 1;
        double const published_us = is_first ? device.plan_base_us + gpus * device.plan_gpu_us
                                             : gpus * device.replan_gpu_us;
        builder.host_work(builder.uses_fast_kernels() ? device.fast->plan_us : published_us,
                          Phase::planning,
                          pass.pass);
        builder.barrier();
    }
    return uncertain;
}

/// A copy per bucket, source and destination (also if equal), destinations ascending. More than two
/// million copies become one train per pair of GPUs, as in add_rotated_swap().
/// \return the number of copies
std::size_t add_paper_swap(ScheduleBuilder& builder, model::Plan const& plan) {
    auto const ascending = [](std::uint32_t, std::uint32_t destination) { return destination; };
    if (auto const copies = add_trains(builder, plan, model::SwapCopies::by_bucket, ascending)) {
        return *copies;
    }
    // Buckets are in sorted order, so destinations ascend on every source's stream.
    std::vector<CopyRecord> copies;
    model::for_each_copy(plan,
                         [&](model::BucketCopy const& bucket) { copies.push_back(bucket.copy); });
    return add_swap(builder, copies);
}

/// Our host threads queue the copies of their nodes' GPUs (`copies` in total) during scatters.
void add_copy_calls(ScheduleBuilder& builder, std::size_t copies) {
    std::uint32_t const gpus = builder.gpu_count();
    double const of_each = static_cast<double>(copies) / gpus;
    auto const before = builder.last_barrier();
    std::vector<TaskId> after(before.begin(), before.end());
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        after.push_back(builder.calls_ahead(gpu, of_each));
    }
    builder.add_after(Task{}, Phase::key_swap, after); // no copy ends before its call
}

} // namespace

std::size_t add_bucket_sort(ScheduleBuilder& builder,
                            model::Plan const& plan,
                            DeviceProfile const& device,
                            RmgProgram program) {
    LibraryQueue queue(builder, device);
    std::size_t calls = 0;
    std::span<model::SortGroup const> rest = plan.sort_groups;
    while (!rest.empty()) {
        GpuId const gpu = rest.front().gpu;
        auto const end = std::ranges::find_if(
            rest, [gpu](model::SortGroup const& group) { return group.gpu != gpu; });
        auto const groups = rest.first(static_cast<std::size_t>(end - rest.begin()));
        auto const sorted = program == RmgProgram::ours
                                ? add_in_turn(builder, queue, device, groups)
                                : add_side_by_side(builder, plan, device, groups, program);
        calls += add_downloads(builder, groups, sorted, plan.ownership[gpu.value].count);
        rest = rest.subspan(groups.size());
    }
    builder.barrier();
    return calls;
}

std::size_t add_rotated_swap(ScheduleBuilder& builder, model::Plan const& plan) {
    auto const turn = [&](std::uint32_t source, std::uint32_t destination) {
        return builder.turn(source, destination);
    };
    if (auto const copies = add_trains(builder, plan, model::SwapCopies::merged, turn)) {
        return *copies;
    }
    return add_swap(builder, model::merged_copies(plan, [&turn](GpuId source, GpuId destination) {
                        return turn(source.value, destination.value);
                    }));
}

Schedule rmg_schedule(ScheduleInput const& input, model::Plan const& plan, RmgProgram published) {
    ScheduleBuilder builder(input);
    bool const is_ours = builder.uses_fast_kernels();
    RmgProgram const program = is_ours ? RmgProgram::ours : published;
    Schedule schedule;
    builder.upload(plan.chunks);
    schedule.uncertain_scatters = add_partitioning(builder, plan, input, program);
    if (!is_ours) {
        builder.host_work(input.device.swap_launch_us, Phase::key_swap);
        builder.barrier();
    }
    schedule.copies = published == RmgProgram::paper ? add_paper_swap(builder, plan)
                                                     : add_rotated_swap(builder, plan);
    if (is_ours) {
        add_copy_calls(builder, schedule.copies);
    }
    builder.barrier();
    schedule.sort_calls = add_bucket_sort(builder, plan, input.device, program);
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

Expected<Schedule> rmg_schedule(ScheduleInput const& input, RmgProgram published) {
    model::Plan const plan = model::plan_rmg_sort(input.config, *input.keys);
    if (plan.config.gpu_count == 1) {
        return schedule_one_gpu(input, Phase::bucket_sort);
    }
    return rmg_schedule(input, plan, published);
}

} // namespace keyswap::simulator
