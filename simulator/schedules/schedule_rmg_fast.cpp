#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "simulator/schedules/fast_steps.hpp"
#include "simulator/schedules/local_sort.hpp"
#include "simulator/schedules/schedule_one_gpu.hpp"
#include "simulator/schedules/schedule_rmg.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::simulator {

namespace {

/// Why the kernels of `fast` cannot take digits or chunks, which are sorted as by `rotated` then;
/// empty if they can, or no keys are sorted.
std::string misfit(model::Plan const& plan) {
    constexpr std::uint64_t capacity_max = (std::uint64_t{1} << 30) - 1;
    if (plan.config.key_count == 0) {
        return {};
    }
    if (plan.config.digit_bits > 8) {
        return "as rmg-rotated, since digits have more than 8 bits";
    }
    return plan.chunks.size() + 2 * plan.tolerance > capacity_max
               ? "as rmg-rotated, since a GPU may own more than 2^30 keys"
               : std::string();
}

/// Keys of buckets that have bits left to sort.
std::uint64_t keys_left_to_sort(model::Plan const& plan) {
    std::uint64_t keys = 0;
    for (model::PlannedBucket const& bucket : plan.buckets) {
        if (bucket.placement.bucket.pass < plan.layout.pass_count()) {
            keys += bucket.placement.end - bucket.placement.begin;
        }
    }
    return keys;
}

/// One copy for each pair of GPUs; each source begins with the next GPU and ends with itself.
std::size_t add_pair_swap(ScheduleBuilder& builder, model::Plan const& plan) {
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<std::uint64_t> const moved = model::transfer_matrix(plan);
    std::size_t copies = 0;
    for (std::uint32_t source = 0; source < gpus; ++source) {
        for (std::uint32_t turn = 1; turn <= gpus; ++turn) {
            std::uint32_t const destination = (source + turn) % gpus;
            std::uint64_t const keys = moved[std::size_t{source} * gpus + destination];
            if (keys > 0) {
                builder.peer_copy(source, destination, keys, Phase::key_swap);
                ++copies;
            }
        }
    }
    return copies;
}

/// Each GPU's whole range in one sort, on the bits in which its keys may differ.
std::size_t add_whole_range_sorts(ScheduleBuilder& builder,
                                  model::Plan const& plan,
                                  DeviceProfile const& device) {
    std::size_t calls = 0;
    for (OwnershipRecord const& owned : plan.ownership) {
        auto const overlaps = [&](model::PlannedBucket const& bucket) {
            return bucket.placement.begin < owned.base + owned.count &&
                   bucket.placement.end > owned.base;
        };
        auto const first = std::ranges::find_if(plan.buckets, overlaps);
        if (owned.count == 0 || first == plan.buckets.end()) {
            continue;
        }
        auto const last = std::find_if(plan.buckets.rbegin(), plan.buckets.rend(), overlaps);
        std::uint64_t const differing = plan.layout.lowest_image(first->placement.bucket) ^
                                        plan.layout.highest_image(last->placement.bucket);
        KernelCost const cost = whole_sort_cost(
            device, builder.key_bytes(), owned.count, static_cast<int>(std::bit_width(differing)));
        if (cost.duration > SimTime{}) {
            builder.kernel(owned.gpu.value, cost, Phase::bucket_sort);
            ++calls;
        }
    }
    return calls;
}

/// Where one pass does not place every bucket and levels do not follow: the swap, then the sort.
void add_refined(Schedule& schedule,
                 ScheduleBuilder& builder,
                 ScheduleInput const& input,
                 model::Plan const& plan) {
    bool const stays = input.output_memories.front() == gpu_memory(input.gpus.front());
    bool const by_pairs = stays && keys_left_to_sort(plan) > plan.config.key_count / 2;
    schedule.copies = by_pairs ? add_pair_swap(builder, plan) : add_rotated_swap(builder, plan);
    builder.barrier();
    if (by_pairs) {
        schedule.sort_calls = add_whole_range_sorts(builder, plan, input.device);
        builder.barrier();
    } else {
        schedule.sort_calls =
            add_bucket_sort(builder, plan, input.device, GroupSorts::in_turn, SortBits::needed);
    }
}

/// Whether all keys have one value, which lie in order in each chunk.
bool holds_one_value(model::Plan const& plan) {
    return plan.buckets.size() == 1 &&
           plan.buckets.front().placement.bucket.pass == plan.layout.pass_count();
}

Schedule schedule_kernels(ScheduleInput const& input, model::Plan const& plan) {
    ScheduleBuilder builder(input);
    Schedule schedule;
    FastSteps steps(builder, plan, *input.keys, input.device, *input.facts);
    steps.add_upload();
    bool const is_counted = one_pass_places_all(plan) || sorts_by_pieces(plan);
    if (is_counted && holds_one_value(plan)) {
        steps.add_counts();
        add_refined(schedule, builder, input, plan);
    } else if (is_counted) {
        steps.add_counts();
        schedule.copies = steps.add_rounds(round_sort_of(plan, *input.keys));
        schedule.sort_calls = static_cast<std::size_t>(std::ranges::count_if(
            plan.ownership, [](OwnershipRecord const& owned) { return owned.count > 0; }));
    } else {
        steps.add_passes();
        add_refined(schedule, builder, input, plan);
    }
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

/// By levels where the kernels take them and their costs are known, by CUB otherwise.
Expected<Schedule> schedule_alone(ScheduleInput const& input) {
    auto const how = input.device.fast ? lone_sort(input.config, *input.keys) : std::nullopt;
    if (!how) {
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
        switch (*how) {
        case LoneSort::digits:
            sort.by_digits(*input.keys, SegmentPlace::in_order, input.config.ties());
            break;
        case LoneSort::counting:
            sort.by_digits(*input.keys, SegmentPlace::dense, input.config.ties());
            break;
        case LoneSort::splitters:
            sort.by_splitters(*input.keys, digit_segments_max);
            break;
        }
        sort.finish(0, keys);
    });
}

/// Passes that count, one scatter into the order of rounds, then one copy a round and pair of GPUs,
/// each round sorted while later ones travel: by a digit step and counting where 32-bit keys are
/// dense, by levels otherwise. For few keys and for pairs whose order is kept, by digit steps;
/// where one pass does not place every bucket of these, passes scatter and one copy a pair follows.
Expected<Schedule> schedule(ScheduleInput const& input) {
    if (input.config.gpu_count == 1) {
        return schedule_alone(input);
    }
    if (!input.device.fast) {
        return tl::unexpected(lacks_our_kernels(input.device));
    }
    model::Plan const& plan = input.facts->of(
        "plan", [&input] { return model::plan_rmg_sort(input.config, *input.keys); });
    std::string const why = misfit(plan);
    if (!why.empty() || input.config.key_count == 0) {
        auto const add_copies = [&](ScheduleBuilder& builder) {
            return add_rotated_swap(builder, plan);
        };
        Schedule rotated =
            rmg_schedule(input, plan, PassCalls::at_once, SortBits::needed, add_copies);
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
