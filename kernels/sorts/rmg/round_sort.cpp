#include "kernels/sorts/rmg/round_sort.hpp"

#include "kernels/local/local_runs.hpp"
#include "kernels/primitives/steps/counting_sort.hpp"
#include "kernels/primitives/steps/crowding_sample.hpp"
#include "kernels/primitives/steps/stretch_counts.hpp"
#include "kernels/runtime/rank_words.hpp"

#include <algorithm>
#include <optional>

namespace keyswap::kernels {

DigitStep step_between(GpuState const& gpu, int from) {
    auto const in = static_cast<std::size_t>(from);
    DigitStep step{arrays_between(gpu.buffers, in, 1 - in)};
    step.scratch = reinterpret_cast<std::uint32_t*>(gpu.resources->sort_temp.data());
    return step;
}

void launch_first_step(FastRun const& run, GpuState const& gpu, DigitStep const& step) {
    if (run.first_step_is_unstable()) {
        launch_unstable_step(gpu.stream, run.context.shape, step);
    } else {
        launch_digit_step(gpu.stream, run.context.shape, step);
    }
}

namespace {

/// The first step of a round; reads the parts as they arrived.
DigitStep arrival_step(GpuState const& gpu, RoundTables const& tables) {
    DigitStep step = step_between(gpu, 0);
    step.tiles = fast_memory(gpu).arrival_tiles.data();
    step.tile_count = tables.arrival.tile_count();
    step.bins = fast_memory(gpu).bins.data();
    step.segment_count = tables.arrival.table().segment_count;
    return step;
}

/// Counts a round's keys by the digits of a window below the scatter's digit.
void count_digits(FastRun const& run,
                  GpuState const& gpu,
                  RoundTables const& tables,
                  BitWindow window,
                  int digit_bits) {
    FastMemory const& fast = fast_memory(gpu);
    int const key_bytes = run.context.shape.key_bytes;
    bool const is_leading = is_in_leading_bits(window.begin, key_bytes);
    tables.arrival.queue_tiles(gpu.stream, fast.arrival_tiles);
    launch_segment_bins(gpu.stream,
                        key_bytes,
                        {{{gpu.buffers.keys[0], gpu.buffers.keys[1]},
                          tables.arrival.table(),
                          window,
                          digit_bits,
                          is_leading ? run.leading_counts(gpu) : LeadingCounts{},
                          fast.bins.data(),
                          fast.local == nullptr ? nullptr : fast.local->known.data()},
                         fast.arrival_tiles.data(),
                         tables.arrival.tile_count()});
}

/// Sorts a round's buckets by their next 9 bits, then by counting.
void sort_round_by_counting(FastRun const& run, GpuState const& gpu, RoundTables const& tables) {
    count_digits(run, gpu, tables, {counting_bits, run.bits_left()}, wide_step_bits);
    DigitStep step = arrival_step(gpu, tables);
    step.bins_stride = 1U << wide_step_bits;
    step.shift = counting_bits;
    step.bits = wide_step_bits;
    launch_unstable_step(gpu.stream, run.context.shape, step);
    CountingSort sort;
    sort.keys_in = static_cast<std::uint32_t const*>(gpu.buffers.keys[1]);
    sort.keys_out = static_cast<std::uint32_t*>(gpu.buffers.keys[0]);
    sort.segments = tables.in_order.data();
    sort.segment_count = step.segment_count;
    sort.bins = step.bins;
    sort.decode = run.context.code;
    launch_counting_sort(gpu.stream, sort);
}

/// Sorts a round's buckets by LSD digit steps.
void sort_round_by_steps(FastRun const& run, GpuState const& gpu, RoundTables const& tables) {
    FastMemory const& fast = fast_memory(gpu);
    ElementShape const shape = run.context.shape;
    count_digits(run, gpu, tables, {0, run.bits_left()}, step_bits);
    tables.in_order.queue_tiles(gpu.stream, fast.tiles);
    for (int i = 0; i < run.steps(); ++i) {
        bool const first = i == 0;
        DigitStep step = first ? arrival_step(gpu, tables) : step_between(gpu, i % 2);
        if (!first) {
            step.tiles = fast.tiles.data();
            step.tile_count = tables.in_order.tile_count();
        }
        step.bins = fast.bins.data() + static_cast<std::size_t>(i) * step_bins;
        step.bins_stride = static_cast<std::uint32_t>(run.steps()) * step_bins;
        step.shift = i * step_bits;
        step.bits = std::min(step_bits, run.bits_left() - step.shift);
        if (i + 1 == run.steps()) {
            step.decode = run.context.code;
        }
        if (first) {
            launch_first_step(run, gpu, step);
        } else {
            launch_digit_step(gpu.stream, shape, step);
        }
    }
}

/// Sorts a round's buckets of a GPU by counting or by digit steps.
void sort_round(FastRun const& run, GpuState const& gpu, std::uint32_t round) {
    DeviceScope const scope{gpu.device};
    RoundTables const& tables = run.tables_of(gpu).rounds[round];
    if (tables.in_order.tile_count() == 0) {
        return;
    }
    if (run.sort == BucketSort::counting) {
        sort_round_by_counting(run, gpu, tables);
    } else {
        sort_round_by_steps(run, gpu, tables);
    }
}

void sort_rounds_by_levels(FastRun const& run, RoundSteps const& steps) {
    std::vector<LocalMemory const*> memories;
    std::vector<LeadingCounts> leading;
    for (GpuState const& gpu : run.gpus) {
        memories.push_back(fast_memory(gpu).local.get());
        leading.push_back(run.leading_counts(gpu));
    }
    sort_arrived(run.context,
                 run.gpus,
                 memories,
                 run.rounds.segments,
                 run.rounds.plan.rounds,
                 {run.levels},
                 steps,
                 leading);
}

} // namespace

void sort_rounds(FastRun const& run, RoundSteps const& steps) {
    if (run.sort == BucketSort::levels) {
        sort_rounds_by_levels(run, steps);
        return;
    }
    for (std::uint32_t round = 0; round < run.rounds.plan.rounds; ++round) {
        for (std::size_t i = 0; i < run.gpus.size(); ++i) {
            steps.before(i, round);
        }
        for (GpuState const& gpu : run.gpus) {
            sort_round(run, gpu, round);
        }
        for (std::size_t i = 0; i < run.gpus.size(); ++i) {
            steps.after(i, round);
        }
    }
}

bool counting_fits(RunContext const& context) {
    return context.shape == ElementShape{4, 0} &&
           context.key_shape.bits_below(1) == wide_step_bits + counting_bits;
}

namespace {

/// True if levels divide crowded keys by splitters.
bool may_use_splitters(RunContext const& context, GpuState const& gpu) {
    return use_levels(context, gpu) && context.key_count > leaf_of(context) &&
           fast_memory(gpu).row.crowded == CrowdedSort::splitters;
}

/// Bits below the stretches of images to test for crowding; nullopt if no decision depends on
/// it.
std::optional<int> crowding_shift(RunContext const& context, GpuState const& gpu) {
    if (counting_fits(context)) {
        return counting_bits;
    }
    if (may_use_splitters(context, gpu)) {
        return context.key_shape.key_bits - bits_to_leaves(context.key_count, leaf_of(context));
    }
    return std::nullopt;
}

/// True if some GPU's samples indicate a stretch with more than `keys` keys; equal on all ranks.
bool crowds(RunContext const& context, std::vector<GpuState> const& gpus, std::uint64_t keys) {
    bool const here = std::ranges::any_of(gpus, [keys](GpuState const& gpu) {
        return keys_of_samples(fast_memory(gpu).crowding.span().front(), gpu.count) > keys;
    });
    if (context.ranks == nullptr) {
        return here;
    }
    auto const all = gather_values(context, gpus.front(), "sampling", std::uint64_t{here});
    return std::ranges::any_of(all, [](std::uint64_t word) { return word != 0; });
}

} // namespace

void queue_crowding_sample(RunContext const& context, GpuState const& gpu) {
    if (std::optional<int> const shift = crowding_shift(context, gpu)) {
        launch_crowding_sample(
            gpu.stream, raw_keys(context, gpu), *shift, fast_memory(gpu).crowding.data());
    }
}

bool use_counting(RunContext const& context,
                  std::vector<GpuState> const& gpus,
                  std::vector<FinalBucket> const& buckets) {
    return fit_counting(buckets, context.tuning.counting_min) &&
           !crowds(context, gpus, counted_keys_max);
}

LevelMethod level_method(RunContext const& context, std::vector<GpuState> const& gpus) {
    // Scaled to one GPU's keys; all GPUs have about as many.
    bool const by_splitters =
        may_use_splitters(context, gpus.front()) &&
        crowds(context, gpus, crowded_leaves * leaf_of(context) / context.rule.gpu_count);
    return by_splitters ? LevelMethod::splitters : LevelMethod::digits;
}

} // namespace keyswap::kernels
