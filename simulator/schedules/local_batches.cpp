#include "simulator/schedules/local_batches.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

namespace {

// A level of digits uploads and tiles its segments, clears and counts counters, clears again, moves
// keys, classifies children, and clears, counts and downloads their kinds. A level of splitters
// builds trees instead of clearing counters. Leaves of a few size classes come last.
constexpr int launches_per_level = 10;
constexpr int launches_per_splitter_level = 11;
constexpr int launches_of_leaves = 3;
// Upload of parts and offsets, tiles, clearing, counts, their sums, and the writing kernels.
constexpr int launches_of_counts = 7;

/// Number of launches that `segments` segments need, each of `most` at most.
int launches_of(std::uint64_t segments, std::uint64_t most) {
    return static_cast<int>((segments + most - 1) / most);
}

/// Spread over buckets between splitters: heavy values have their own, other keys are even.
BlockSpread spread_with_heavy(SplitterLevel const& level, std::uint64_t block_keys) {
    double const buckets = std::ldexp(1.0, level.bits);
    double const rest = 1.0 - static_cast<double>(level.heavy.count) /
                                  static_cast<double>(std::max<std::uint64_t>(level.keys, 1));
    double const values = level.heavy.concentration > 0.0
                              ? (1.0 - rest) * (1.0 - rest) / level.heavy.concentration
                              : 0.0; // if equally frequent
    double const met = std::min(buckets, values + rest * static_cast<double>(block_keys));
    return {std::min(1.0, level.heavy.concentration + rest * rest / buckets),
            std::max(1.0, met),
            std::max(std::sqrt(level.heavy.concentration), rest / buckets)};
}

/// Leaves between splitters; keys of 16 bytes are merged at the cost of the leaf's size class.
LocalStep splitter_leaves(FastKernels const& kernels, RecordBytes record, std::uint64_t keys) {
    // Sampled splitters are inexact: leaves have a third to all of their maximum size.
    constexpr double uneven_leaves = 1.35;
    constexpr std::size_t bin_key_bytes_max = 8;
    if (record.key <= bin_key_bytes_max) {
        return {kernels.leaf_bins(record, keys), launches_of_leaves};
    }
    KernelCost leaves = kernels.leaf_sort(record, keys);
    leaves.duration = from_seconds(uneven_leaves * to_seconds(leaves.duration));
    return {leaves, launches_of_leaves};
}

/// Counting of stretches by many blocks each.
LocalStep count_of(FastKernels const& kernels, CountedStretches const& counted) {
    int const launches = launches_of(counted.stretches, launch_stretches_max);
    return {kernels.count_stretches(counted.keys, counted.tiles), launches * launches_of_counts};
}

} // namespace

std::vector<LocalBatch> digit_batches(FastKernels const& kernels,
                                      RecordBytes record,
                                      Stability ties,
                                      DigitLevels const& levels) {
    bool const is_stable = ties == Stability::stable;
    std::vector<LocalBatch> batches;
    auto const copy = [&](std::uint64_t keys) {
        return LocalStep{kernels.copy(keys * record.sum()), 1};
    };
    auto const leaves = [&](std::uint64_t keys) {
        return LocalStep{kernels.leaf_bins(record, keys, ties), launches_of_leaves};
    };
    if (levels.one_value_keys > 0) {
        batches.push_back({{copy(levels.one_value_keys)}, {}});
    }
    if (levels.leaf_keys > 0) {
        batches.push_back({{}, {leaves(levels.leaf_keys)}});
    }
    if (levels.arrived.keys > 0) {
        batches.push_back({{count_of(kernels, levels.arrived)}, {}});
    }
    int bits = 0;
    for (DigitLevel const& level : levels.levels) {
        int const launches = launches_of(level.segments, digit_segments_max);
        bool const is_counted =
            bits + level.bits <= levels.known_bits && (bits > 0 || !levels.first_counts);
        bits += level.bits;
        LocalBatch batch;
        batch.until_known = {{kernels.histogram(record.key, is_counted ? 0 : level.keys),
                              launches * launches_per_level}};
        batch.then = {{is_stable ? kernels.stable_step(record, level.keys, level.bits)
                                 : kernels.unstable_step(record, level.keys, level.spread),
                       0}};
        if (level.one_value_keys > 0) {
            batch.then.push_back(copy(level.one_value_keys));
        }
        if (level.leaf_keys > 0) {
            batch.then.push_back(leaves(level.leaf_keys));
            batch.then.back().launches *= launches;
        }
        batches.push_back(std::move(batch));
    }
    if (levels.narrow.keys + levels.middle.keys + levels.tiled.keys > 0) {
        LocalBatch batch;
        batch.until_known = {
            {kernels.counting_sort(levels.narrow.keys, levels.narrow.stretches), 2}};
        if (levels.middle.keys > 0) {
            batch.until_known.push_back(
                {kernels.count_stretches(levels.middle.keys, levels.middle.tiles), 1});
        }
        if (levels.tiled.keys > 0) {
            batch.until_known.push_back(count_of(kernels, levels.tiled));
        }
        batches.push_back(std::move(batch));
    }
    return batches;
}

std::vector<LocalBatch> splitter_batches(FastKernels const& kernels,
                                         RecordBytes record,
                                         std::span<SplitterLevel const> levels,
                                         std::uint64_t one_value_keys,
                                         std::uint64_t segments_max,
                                         ImageCode code) {
    std::vector<LocalBatch> batches;
    // Levels alternate between two buffers; the first one writes to that of the result.
    bool is_in_place = code == ImageCode::identity;
    if (one_value_keys > 0) {
        batches.push_back({{{kernels.copy(one_value_keys * record.sum()), 1}}, {}});
    }
    for (SplitterLevel const& level : levels) {
        LocalBatch batch;
        int const launches = launches_of(level.segments, segments_max);
        if (level.keys > 0) {
            batch.until_known = {
                {kernels.label(record.key, level.keys, level.bits, level.heavy.concentration),
                 launches * launches_per_splitter_level}};
            std::uint64_t const tile = label_tile_keys(record);
            batch.then = {
                {kernels.unstable_step(record, level.keys, spread_with_heavy(level, tile), tile),
                 0}};
        }
        if (level.heavy.count > 0 && !is_in_place) {
            batch.then.push_back({kernels.copy(level.heavy.count * record.sum()), 1});
        }
        is_in_place = code == ImageCode::identity && !is_in_place;
        if (level.leaf_keys > 0) {
            batch.then.push_back(splitter_leaves(kernels, record, level.leaf_keys));
            batch.then.back().launches *= launches;
        }
        batches.push_back(std::move(batch));
    }
    return batches;
}

std::vector<LocalBatch> arrived_by_splitters(FastKernels const& kernels,
                                             RecordBytes record,
                                             std::span<LocalSegment const> segments,
                                             KeySample const& sample,
                                             std::uint64_t segments_max,
                                             ImageCode code) {
    std::vector<LocalSegment> divided;
    std::uint64_t one_value_keys = 0;
    for (LocalSegment const& segment : segments) {
        if (segment.end_bit == 0) {
            one_value_keys += segment.count;
        } else {
            divided.push_back(segment);
        }
    }
    auto const levels = splitter_levels(divided, SegmentPlace::arrived, record, sample);
    return splitter_batches(kernels, record, levels, one_value_keys, segments_max, code);
}

} // namespace keyswap::simulator
