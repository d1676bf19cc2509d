#include "kernels/sorts/rmg/round_sort.hpp"

#include <algorithm>

namespace keyswap::kernels {

DigitStep step_between(Rank const& rank, int from) {
    auto const in = static_cast<std::size_t>(from);
    DigitStep step;
    step.keys_in = rank.place.keys[in];
    step.keys_out = rank.place.keys[1 - in];
    step.values_in = rank.place.values[in];
    step.values_out = rank.place.values[1 - in];
    step.scratch = reinterpret_cast<std::uint32_t*>(rank.resources->sort_temp.data());
    return step;
}

void launch_first_step(FastRun const& run, Rank const& rank, DigitStep const& step) {
    if (run.first_step_is_unstable()) {
        launch_unstable_step(rank.stream, run.context.shape.key_bytes, step);
    } else {
        launch_digit_step(rank.stream, run.context.shape, step);
    }
}

namespace {

/// The first step of a round, from the parts as they came.
DigitStep arrival_step(Rank const& rank, RoundTables const& tables) {
    DigitStep step = step_between(rank, 0);
    step.tiles = rank.resources->fast.arrival_tiles.data();
    step.tile_count = tables.arrival.tile_count;
    step.bins = rank.resources->fast.bins.data();
    step.segment_count = tables.segments;
    return step;
}

/// Counts a round's keys by the digits of a window of the bits that the scatter has not read.
void count_digits(FastRun const& run,
                  Rank const& rank,
                  RoundTables const& tables,
                  BitWindow window,
                  int digit_bits) {
    FastResources const& fast = rank.resources->fast;
    build_tiles(rank, tables.arrival, fast.arrival_tiles.data());
    launch_segment_bins(rank.stream,
                        run.context.shape.key_bytes,
                        rank.place.keys[0],
                        fast.arrival_tiles.data(),
                        tables.arrival.tile_count,
                        tables.segments,
                        window,
                        digit_bits,
                        fast.bins.data());
}

/// Sorts a round's buckets by their next 9 bits, and what has these in common by counting.
void sort_round_by_counting(FastRun const& run, Rank const& rank, RoundTables const& tables) {
    count_digits(run, rank, tables, {counting_bits, run.bits_left()}, wide_step_bits);
    DigitStep step = arrival_step(rank, tables);
    step.bins_stride = 1U << wide_step_bits;
    step.shift = counting_bits;
    step.bits = wide_step_bits;
    launch_unstable_step(rank.stream, run.context.shape.key_bytes, step);
    CountingSort sort;
    sort.keys_in = static_cast<std::uint32_t const*>(rank.place.keys[1]);
    sort.keys_out = static_cast<std::uint32_t*>(rank.place.keys[0]);
    sort.segments = rank.resources->fast.parts.data() + tables.in_order.first_part;
    sort.segment_count = tables.segments;
    sort.bins = step.bins;
    sort.decode = run.context.code;
    launch_counting_sort(rank.stream, sort);
}

/// Sorts a round's buckets by one digit after the other, the lowest first.
void sort_round_by_digits(FastRun const& run, Rank const& rank, RoundTables const& tables) {
    FastResources const& fast = rank.resources->fast;
    ElementShape const shape = run.context.shape;
    count_digits(run, rank, tables, {0, run.bits_left()}, step_bits);
    build_tiles(rank, tables.in_order, fast.tiles.data());
    for (int i = 0; i < run.steps(); ++i) {
        bool const first = i == 0;
        DigitStep step = first ? arrival_step(rank, tables) : step_between(rank, i % 2);
        if (!first) {
            step.tiles = fast.tiles.data();
            step.tile_count = tables.in_order.tile_count;
        }
        step.bins = fast.bins.data() + static_cast<std::size_t>(i) * step_bins;
        step.bins_stride = static_cast<std::uint32_t>(run.steps()) * step_bins;
        step.shift = i * step_bits;
        step.bits = std::min(step_bits, run.bits_left() - step.shift);
        if (i + 1 == run.steps()) {
            step.decode = run.context.code;
        }
        if (first) {
            launch_first_step(run, rank, step);
        } else {
            launch_digit_step(rank.stream, shape, step);
        }
    }
}

} // namespace

void sort_round(FastRun const& run, Rank const& rank, std::uint32_t round) {
    RoundTables const& tables = run.tables[rank.gpu.value].rounds[round];
    if (tables.in_order.tile_count == 0) {
        return;
    }
    if (run.counting) {
        sort_round_by_counting(run, rank, tables);
    } else {
        sort_round_by_digits(run, rank, tables);
    }
}

bool counting_fits(RunContext const& context) {
    return context.shape == ElementShape{4, 0} &&
           context.key_shape.bits_below(1) == wide_step_bits + counting_bits;
}

void ask_for_crowding(RunContext const& context, std::vector<Rank> const& ranks) {
    for (Rank const& rank : ranks) {
        DeviceScope const scope{rank.device};
        launch_crowding_sample(rank.stream,
                               static_cast<std::uint32_t const*>(rank.place.keys[0]),
                               rank.count,
                               context.code,
                               rank.resources->fast.crowding.data());
    }
}

bool counting_pays(RunContext const& context,
                   std::vector<Rank> const& ranks,
                   std::vector<FinalBucket> const& buckets) {
    // A block counts 2^19 keys in about 0.1 ms. Uniform keys never give as many samples as 16.
    constexpr std::uint64_t crowded_keys = std::uint64_t{1} << 19;
    constexpr std::uint32_t crowded_samples = 16;
    bool const crowded = std::ranges::any_of(ranks, [](Rank const& rank) {
        std::uint32_t const most = rank.resources->fast.crowding.span().front();
        return most > crowded_samples && most * (rank.count / crowding_samples) > crowded_keys;
    });
    return !crowded &&
           context.key_count >= (buckets.size() << wide_step_bits) * context.counting_min;
}

} // namespace keyswap::kernels
