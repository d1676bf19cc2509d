#include "simulator/schedules/fast_steps.hpp"

#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/schedules/local_sort.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::simulator {

namespace {

SimTime microseconds_of(double value) {
    return from_seconds(value * 1e-6);
}

/// Whether one of 2^15 to 2^16 neighbouring images holds so many keys that a block would count
/// them while others wait: more than 16 of 4,096 samples, and more than 2^19 keys.
bool is_crowded(model::Plan const& plan, model::KeySource& keys) {
    constexpr std::uint64_t crowded_keys = std::uint64_t{1} << 19;
    constexpr std::uint64_t crowded_part = 256; ///< 4,096 samples / 16
    std::vector<BucketPrefix> prefixes;
    for (model::PlannedBucket const& bucket : plan.buckets) {
        prefixes.push_back(bucket.placement.bucket);
    }
    for (model::BucketHistogram const& histogram :
         keys.histograms(plan.chunks, plan.layout, prefixes)) {
        for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
            std::uint64_t const most = std::ranges::max(histogram.of(GpuId{gpu}));
            std::uint64_t const chunk = plan.chunks.of(GpuId{gpu}).size();
            if (most > crowded_keys && most > chunk / crowded_part) {
                return true;
            }
        }
    }
    return false;
}

/// Where all is placed by one scatter whose pairs are sorted by levels; the kernel for pairs
/// encodes no keys.
bool scatters_pairs_unstably(model::Plan const& plan) {
    KeyType const type = plan.config.key_type;
    bool const is_image = (type == KeyType::u32 || type == KeyType::u64) &&
                          plan.config.direction == Direction::ascending;
    return is_image && plan.pass_count() == 1 && sorts_by_levels(plan);
}

} // namespace

bool sorts_by_levels(model::Plan const& plan) {
    auto const least = divided_keys_min(plan.config);
    return least && plan.chunks.size() >= *least;
}

RoundSort round_sort_of(model::Plan const& plan, model::KeySource& keys) {
    bool const fits = plan.layout.key_bits() == 32 &&
                      plan.layout.bits_below(1) == wide_step_bits + counting_bits &&
                      plan.config.value_type == ValueType::none;
    bool const pays =
        plan.config.key_count >= (plan.buckets.size() << wide_step_bits) * counted_stretch_keys_min;
    if (fits && pays && !is_crowded(plan, keys)) {
        return RoundSort::counting;
    }
    return sorts_by_levels(plan) ? RoundSort::levels : RoundSort::steps;
}

FastSteps::FastSteps(ScheduleBuilder& builder, model::Plan const& plan, DeviceProfile const& device)
    : builder_(builder), plan_(plan), device_(device), kernels_(device),
      value_bytes_(value_size_bytes(plan.config.value_type)), order_(positional_order(plan)) {}

TaskId FastSteps::add_kernel(
    std::uint32_t gpu, KernelCost cost, int launches, Phase phase, std::span<TaskId const> after) {
    return builder_.add_after(
        builder_.kernel_task(gpu, cost, launches * device_.fast->launch_us), phase, after);
}

/// Parts that hold keys of several digits: all in one launch by an unstable step, or with values
/// whose order is kept a stable sort of the digit's bits each. What the pass leaves alone or has
/// moved to the other buffer, whichever is less, is copied so that all keys lie in one.
void FastSteps::scatter(model::PassPlan const& pass, std::uint32_t gpu) {
    bool const is_stable = value_bytes_ > 0 && !scatters_pairs_unstably(plan_);
    std::uint64_t const chunk = plan_.chunks.of(GpuId{gpu}).size();
    std::size_t const record = builder_.key_bytes() + value_bytes_;
    std::uint64_t const tile = unstable_tile_keys(record);
    KernelCost sum;
    std::uint64_t moved = 0;
    int parts = 0;
    for (model::BucketHistogram const& histogram : pass.histograms) {
        auto const counts = histogram.of(GpuId{gpu});
        std::uint64_t const keys = keys_in(counts);
        if (std::ranges::count_if(counts, [](std::uint64_t count) { return count > 0; }) < 2) {
            continue;
        }
        KernelCost const cost =
            is_stable ? kernels_.stable_step(builder_.key_bytes(), value_bytes_, keys)
                      : kernels_.unstable_step(
                            record, keys, block_spread(histogram, GpuId{gpu}, order_, tile));
        sum.duration += cost.duration;
        sum.hbm_bytes += cost.hbm_bytes;
        moved += keys;
        ++parts;
    }
    if (parts == 0) {
        return;
    }
    std::uint64_t const copied = std::min(moved, chunk - moved);
    KernelCost const copy = kernels_.copy(copied * record);
    sum.duration += copy.duration;
    sum.hbm_bytes += copy.hbm_bytes;
    int const launches = 2 + (copied > 0 ? parts : 0);
    sum.cold_slowdown = device_.cold_memory;
    Task task = builder_.kernel_task(gpu, sum, launches * device_.fast->launch_us);
    task.pass = pass.pass;
    builder_.add(task, Phase::scatter);
}

void FastSteps::add_passes() {
    for (model::PassPlan const& pass : plan_.passes) {
        for (std::uint32_t gpu = 0; gpu < plan_.config.gpu_count; ++gpu) {
            std::uint64_t keys = 0;
            for (model::BucketHistogram const& histogram : pass.histograms) {
                keys += keys_in(histogram.of(GpuId{gpu}));
            }
            if (keys > 0) {
                KernelCost const cost = kernels_.histogram(builder_.key_bytes(), keys);
                Task task = builder_.kernel_task(gpu, cost, device_.fast->launch_us);
                task.pass = pass.pass;
                builder_.add(task, Phase::histogram);
            }
        }
        builder_.barrier();
        builder_.host_work(device_.fast->plan_us, Phase::planning, pass.pass);
        builder_.barrier();
        for (std::uint32_t gpu = 0; gpu < plan_.config.gpu_count; ++gpu) {
            scatter(pass, gpu);
        }
        builder_.barrier();
    }
}

std::vector<TaskId> FastSteps::send_round(SwapRound const& round,
                                          std::span<StreamId const> streams,
                                          std::size_t& copies) {
    std::uint32_t const gpus = plan_.config.gpu_count;
    auto const calls = std::ranges::count_if(round.keys, [](std::uint64_t k) { return k > 0; });
    std::vector<TaskId> const called{builder_.host_calls(static_cast<int>(calls))};
    std::vector<TaskId> ends;
    for (std::uint32_t source = 0; source < gpus; ++source) {
        for (std::uint32_t turn = 1; turn < gpus; ++turn) {
            std::uint32_t const destination = (source + turn) % gpus;
            std::uint64_t const keys = round.keys[std::size_t{source} * gpus + destination];
            if (keys == 0) {
                continue;
            }
            Task task;
            task.work = CopyWork{builder_.memory_of(source),
                                 builder_.memory_of(destination),
                                 keys * builder_.record_bytes()};
            task.stream = streams[source];
            task.launch = microseconds_of(device_.peer_copy_launch_us);
            task.cold_slowdown = device_.cold_peer_copy;
            builder_.add_after(task, Phase::key_swap, called);
            ++copies;
        }
        Task sent; // an event: whoever waits for the round waits for it
        sent.stream = streams[source];
        ends.push_back(builder_.add_after(sent, Phase::key_swap, called));
    }
    return ends;
}

/// Kernels move what stays on its GPU: all of it before the first round is sorted.
void FastSteps::keep_own_parts(std::span<SwapRound const> rounds) {
    std::uint32_t const gpus = plan_.config.gpu_count;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t keys = 0;
        int parts = 0;
        for (SwapRound const& round : rounds) {
            std::uint64_t const own = round.keys[std::size_t{gpu} * gpus + gpu];
            keys += own;
            parts += own > 0 ? 1 : 0;
        }
        if (keys > 0) {
            std::vector<TaskId> const called{builder_.host_calls(parts)};
            KernelCost const cost = kernels_.copy(keys * builder_.record_bytes());
            add_kernel(gpu, cost, parts, Phase::key_swap, called);
        }
    }
}

void FastSteps::sort_round_by_levels(std::uint32_t gpu,
                                     RoundKeys keys,
                                     std::vector<TaskId> const& after) {
    // A level has its segments copied, tiled, counted, moved and their children told apart.
    constexpr int level_launches = 8;
    constexpr int leaf_launches = 3;
    std::size_t const key_bytes = builder_.key_bytes();
    std::size_t const record_bytes = builder_.record_bytes();
    std::span<TaskId const> first = after;
    for (int const bits :
         digit_levels(keys.count / std::max<std::uint64_t>(1, keys.buckets), key_bytes)) {
        add_kernel(gpu,
                   kernels_.histogram(key_bytes, keys.count),
                   level_launches,
                   Phase::bucket_sort,
                   first);
        add_kernel(
            gpu, kernels_.unstable_step(record_bytes, keys.count, bits), 0, Phase::bucket_sort, {});
        first = {};
    }
    add_kernel(
        gpu, kernels_.leaf_bins(record_bytes, keys.count), leaf_launches, Phase::bucket_sort, {});
}

void FastSteps::sort_round(std::uint32_t gpu,
                           RoundKeys keys,
                           RoundSort sort,
                           std::vector<TaskId> after) {
    if (sort == RoundSort::levels) {
        sort_round_by_levels(gpu, keys, after);
        return;
    }
    // Tiles, cleared counters, counts and their sums; a step clears what it takes room by.
    constexpr int count_launches = 4;
    constexpr int step_launches = 2;
    std::size_t const key_bytes = builder_.key_bytes();
    int const bits_left = plan_.layout.bits_below(1);
    bool const counting = sort == RoundSort::counting;
    int const digits = counting ? 1 : (bits_left + step_bits - 1) / step_bits;
    after.push_back(
        builder_.host_calls(count_launches + digits * step_launches + (counting ? 1 : 0)));
    add_kernel(gpu,
               kernels_.count(key_bytes, keys.count, digits),
               count_launches,
               Phase::bucket_sort,
               after);
    if (counting) {
        KernelCost const step = kernels_.unstable_step(key_bytes, keys.count, wide_step_bits);
        add_kernel(gpu, step, step_launches, Phase::bucket_sort, {});
        add_kernel(gpu,
                   kernels_.counting_sort(keys.count, keys.buckets << wide_step_bits),
                   1,
                   Phase::bucket_sort,
                   {});
        return;
    }
    for (int digit = 0; digit < digits; ++digit) {
        bool const is_unstable = digit == 0 && value_bytes_ == 0;
        int const bits = std::min(step_bits, bits_left - digit * step_bits);
        add_kernel(gpu,
                   is_unstable ? kernels_.unstable_step(key_bytes, keys.count, bits)
                               : kernels_.stable_step(key_bytes, value_bytes_, keys.count),
                   step_launches,
                   Phase::bucket_sort,
                   {});
    }
}

std::size_t FastSteps::add_rounds(RoundSort sort) {
    constexpr std::size_t rounds_ahead = 2; ///< are queued to be sent ahead of their sort
    std::uint32_t const gpus = plan_.config.gpu_count;
    std::vector<SwapRound> const rounds =
        swap_rounds(plan_, round_shares(plan_.chunks.size(), sort));
    std::vector<StreamId> streams;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        streams.push_back(builder_.add_stream(gpu, "sends"));
    }
    std::size_t copies = 0;
    std::vector<std::vector<TaskId>> sent; // [round][g]
    auto const send_next = [&] {
        if (sent.size() < rounds.size()) {
            sent.push_back(send_round(rounds[sent.size()], streams, copies));
        }
    };
    for (std::size_t round = 0; round < rounds_ahead; ++round) {
        send_next();
    }
    keep_own_parts(rounds);
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
            RoundKeys keys{0, rounds[round].buckets[gpu]};
            std::vector<TaskId> after;
            for (std::uint32_t source = 0; source < gpus; ++source) {
                keys.count += rounds[round].keys[std::size_t{source} * gpus + gpu];
                if (source != gpu) {
                    after.push_back(sent[round][source]);
                }
            }
            std::size_t const own = rounds[round].sent_before[gpu];
            if (own > 0) {
                after.push_back(sent[std::min(own, sent.size()) - 1][gpu]);
            }
            if (keys.count > 0) {
                sort_round(gpu, keys, sort, std::move(after));
                std::vector<TaskId> const sorted{
                    TaskId{static_cast<std::uint32_t>(builder_.graph.tasks.size() - 1)}};
                builder_.download(gpu, keys.count, sorted, CopyExtent::piece);
            }
        }
        send_next();
    }
    builder_.barrier();
    return copies;
}

} // namespace keyswap::simulator
