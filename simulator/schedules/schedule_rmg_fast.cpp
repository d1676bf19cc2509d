#include "kernels/exchange_plan/fast_tuning.hpp"
#include "kernels/exchange_plan/pair_swap.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "simulator/schedules/exchange_plan.hpp"
#include "simulator/schedules/fast_steps.hpp"
#include "simulator/schedules/local_sort.hpp"
#include "simulator/schedules/pass_concentration.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"

#include <algorithm>

namespace keyswap::simulator {

namespace {

/// Why the kernels of `fast` do not support the digits or chunk size, in which case `rotated`
/// sorts; empty if they do, or there are no keys.
std::string fallback_reason(model::Plan const& plan) {
    int const digit_bits = static_cast<int>(plan.config.digit_bits);
    if (plan.config.key_count == 0 ||
        kernels::can_use_segments(digit_bits, plan.chunks.size() + 2 * plan.tolerance)) {
        return {};
    }
    return kernels::can_use_segments(digit_bits, 0)
               ? "as rmg-rotated, since a GPU may own more than 2^30 keys"
               : "as rmg-rotated, since digits have more than 8 bits";
}

/// Queues a swap with one copy per pair of GPUs, as the kernels do.
std::size_t add_pair_swap(ScheduleBuilder& builder,
                          model::Plan const& plan,
                          std::span<kernels::FinalBucket const> buckets) {
    auto const copies = kernels::pair_copies(kernels::bucket_copies(buckets, plan.ownership),
                                             plan.config.gpu_count);
    for (CopyRecord const& copy : copies) {
        builder.peer_copy(copy.source.value, copy.destination.value, copy.count, Phase::key_swap);
    }
    return copies.size();
}

/// Sorts each GPU's whole range at once, on the bits in which its keys may differ.
std::size_t add_whole_range_sorts(ScheduleBuilder& builder,
                                  model::Plan const& plan,
                                  std::span<kernels::FinalBucket const> buckets,
                                  ScheduleInput const& input) {
    std::size_t calls = 0;
    for (SortRangeRecord const& range :
         kernels::whole_ranges(kernels::owned_buckets(buckets, plan.ownership))) {
        KernelCost const cost = whole_sort_cost(input.device,
                                                builder.record(),
                                                range.count,
                                                range.end_bit,
                                                pass_concentration(input, range.end_bit));
        if (cost.duration > SimTime{}) {
            builder.kernel(range.gpu.value, cost, Phase::bucket_sort);
            builder.image_change(range.gpu.value, range.count, Phase::bucket_sort); // back to keys
            ++calls;
        }
    }
    return calls;
}

/// The swap, then the sort, if one pass does not place every bucket and no levels follow.
void add_refined(Schedule& schedule,
                 ScheduleBuilder& builder,
                 ScheduleInput const& input,
                 model::Plan const& plan) {
    bool const to_host = input.output_memories.front() != gpu_memory(input.gpus.front());
    auto const buckets = final_buckets(plan);
    bool const by_pairs = kernels::use_pair_swap(buckets, to_host);
    schedule.copies =
        by_pairs ? add_pair_swap(builder, plan, buckets) : add_rotated_swap(builder, plan);
    builder.barrier();
    if (by_pairs) {
        schedule.sort_calls = add_whole_range_sorts(builder, plan, buckets, input);
        builder.barrier();
    } else {
        schedule.sort_calls = add_bucket_sort(builder, plan, input.device, RmgProgram::ours);
    }
}

Schedule schedule_kernels(ScheduleInput const& input, model::Plan const& plan) {
    ScheduleBuilder builder(input);
    Schedule schedule;
    bool const is_counted = one_pass_places_all(plan) || sorts_by_pieces(plan);
    if (is_counted && !kernels::holds_one_value(final_buckets(plan))) {
        schedule.copies = add_rounds(builder, input, plan);
        schedule.sort_calls = static_cast<std::size_t>(std::ranges::count_if(
            plan.ownership, [](OwnershipRecord const& owned) { return owned.count > 0; }));
    } else {
        (is_counted ? add_counts : add_passes)(builder, input, plan);
        add_refined(schedule, builder, input, plan);
    }
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

/// By levels if the kernels support the keys and their costs are known, else by CUB.
Expected<Schedule> schedule_single_gpu(ScheduleInput const& input) {
    auto const levels =
        input.device.fast ? single_gpu_levels(input.config, *input.keys) : std::nullopt;
    if (!levels) {
        auto alone = schedule_one_gpu(input, Phase::bucket_sort);
        if (alone && input.config.key_count >> 32U > 0) {
            alone->fallback = "by CUB, since a GPU has 2^32 keys or more";
        }
        return alone;
    }
    std::uint64_t const keys = input.config.key_count;
    return schedule_one_gpu(input, [&](ScheduleBuilder& builder) {
        LocalSort sort(builder, input.device);
        if (!are_images(input.config)) {
            sort.change_images(keys);
        }
        if (levels->method == kernels::LevelMethod::splitters) {
            sort.by_splitters(*input.keys, digit_segments_max);
        } else {
            sort.by_digits(*input.keys, *levels, input.config.ties());
        }
        sort.finish(0, keys);
    });
}

/// Counting passes, one scatter into the order of rounds, then one copy per round and pair of GPUs;
/// each round is sorted during later copies: by a digit step and counting for dense 32-bit keys,
/// else by levels. Few keys, and pairs whose order matters, are sorted by digit steps; if one pass
/// does not place every bucket of these, passes scatter, and one copy per pair follows.
Expected<Schedule> schedule(ScheduleInput const& input) {
    if (input.config.gpu_count == 1) {
        return schedule_single_gpu(input);
    }
    if (!input.device.fast) {
        return tl::unexpected(missing_fast_costs(input.device));
    }
    model::Plan const& plan = input.facts->of(
        "plan", [&input] { return model::plan_rmg_sort(input.config, *input.keys); });
    std::string const why = fallback_reason(plan);
    if (!why.empty() || input.config.key_count == 0) {
        Schedule rotated = rmg_schedule(input, plan, RmgProgram::rotated);
        rotated.fallback = why;
        return rotated;
    }
    return schedule_kernels(input, plan);
}

} // namespace

ScheduleKind const& rmg_fast_schedule() {
    static constexpr ScheduleKind kind{"rmg", "fast", schedule, tiled_memory};
    return kind;
}

} // namespace keyswap::simulator
