#include "simulator/schedules/local_sort.hpp"

#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

namespace keyswap::simulator {

namespace {

// A look at the keys, then the ranges as children; a level has its segments copied, tiled, counted,
// moved and their children told apart; leaves of a few size classes come last.
constexpr int launches_before = 6;
constexpr int launches_a_level = 8;
constexpr int launches_of_leaves = 3;

/// Keys that a leaf holds at most.
constexpr std::uint64_t leaf_keys_of(std::size_t key_bytes) {
    constexpr std::uint64_t leaf_bytes = 32'768;
    return leaf_bytes / key_bytes;
}

/// Bits that divide evenly spread keys into leaves of a third to two thirds of the largest size.
int bits_to_leaves(std::uint64_t count, std::uint64_t leaf_keys) {
    return static_cast<int>(std::bit_width((count + count / 2) / leaf_keys));
}

constexpr std::uint64_t sample_count = 4096;
constexpr std::uint64_t chance_max = 16; ///< what none of thousands of equal shares exceeds

/// How many of 4,096 keys, one of each 4,096th part, share an image but for its low bits, for each
/// such stretch of images.
std::vector<std::uint64_t> sampled_stretches(model::KeySource& keys, int shift) {
    std::uint64_t const distance = keys.key_count() / sample_count;
    std::vector<std::uint64_t> positions(sample_count);
    for (std::uint64_t sample = 0; sample < sample_count; ++sample) {
        positions[sample] = sample * distance + mix_bits(sample) % distance;
    }
    std::vector<model::uint128> stretches = keys.images_at(positions);
    for (model::uint128& image : stretches) {
        image >>= static_cast<unsigned>(shift);
    }
    std::ranges::sort(stretches);
    std::vector<std::uint64_t> counts;
    for (auto first = stretches.begin(); first != stretches.end();) {
        auto const last = std::ranges::upper_bound(first, stretches.end(), *first);
        counts.push_back(static_cast<std::uint64_t>(last - first));
        first = last;
    }
    return counts;
}

/// Keys in the fullest of the stretches of 2^shift images; 0 where chance explains it.
std::uint64_t fullest_stretch(model::KeySource& keys, int shift) {
    std::uint64_t const most = std::ranges::max(sampled_stretches(keys, shift));
    return most <= chance_max ? 0 : most * (keys.key_count() / sample_count);
}

/// Of digits that are spread evenly over a segment, within a block, as block_spread() has it.
BlockSpread
even_spread(int bits, std::uint64_t segment_keys, double order, std::uint64_t block_keys) {
    double const digits = std::ldexp(1.0, bits);
    double const smaller = static_cast<double>(segment_keys) / static_cast<double>(block_keys);
    double const inside = std::min(1.0, std::pow(std::max(1.0, smaller), order) / digits);
    return {inside, std::max(1.0, 1.0 / inside)};
}

/// Of buckets between splitters: heavy values have their own, the other keys are spread evenly.
BlockSpread spread_with_heavy(int bits, SegmentGroup const& segments, std::uint64_t block_keys) {
    double const buckets = std::ldexp(1.0, bits);
    double const rest = 1.0 - static_cast<double>(segments.heavy.count) /
                                  static_cast<double>(std::max<std::uint64_t>(segments.keys, 1));
    double const met = std::min(buckets, rest * static_cast<double>(block_keys));
    return {std::min(1.0, segments.heavy.concentration + rest * rest / buckets),
            std::max(1.0, met)};
}

bool counting_pays(model::KeySource& keys) {
    constexpr std::uint64_t crowded_keys = std::uint64_t{1} << 19;
    return keys.key_count() >> (32 - counting_bits) >= counted_stretch_keys_min &&
           fullest_stretch(keys, counting_bits) <= crowded_keys;
}

bool is_crowded(model::KeySource& keys, std::size_t key_bytes) {
    constexpr std::uint64_t leaves_a_stretch_max = 8;
    std::uint64_t const leaf = leaf_keys_of(key_bytes);
    int const shift = static_cast<int>(key_bytes) * 8 - bits_to_leaves(keys.key_count(), leaf);
    return fullest_stretch(keys, shift) > leaves_a_stretch_max * leaf;
}

} // namespace

InputError lacks_our_kernels(DeviceProfile const& device) {
    return {"device profile '" + device.name + "'",
            "says nothing of the kernels of sample sort and of variant 'fast'",
            "add a table [fast] as in the shipped profile 'h200'"};
}

std::optional<std::uint64_t> divided_keys_min(model::SortConfig const& config) {
    constexpr std::uint64_t million = std::uint64_t{1} << 20;
    bool const has_values = config.value_type != ValueType::none;
    if (has_values && config.stability == Stability::stable) {
        return std::nullopt;
    }
    switch (key_size_bytes(config.key_type)) {
    case 4:
        return has_values ? 64 * million : 128 * million;
    case 8:
        return 8 * million;
    default:
        return std::nullopt;
    }
}

std::optional<LoneSort> lone_sort(model::SortConfig const& config, model::KeySource& keys) {
    constexpr std::uint64_t key_count_end = std::uint64_t{1} << 32;
    std::size_t const key_bytes = key_size_bytes(config.key_type);
    auto const least = divided_keys_min(config);
    if (!least || config.key_count < *least || config.key_count >= key_count_end) {
        return std::nullopt;
    }
    if (key_bytes == 4 && config.value_type == ValueType::none && counting_pays(keys)) {
        return LoneSort::counting;
    }
    if (!is_crowded(keys, key_bytes)) {
        return LoneSort::digits;
    }
    return key_bytes == 4 ? std::nullopt : std::optional(LoneSort::splitters);
}

std::vector<int> digit_levels(std::uint64_t segment_keys, std::size_t key_bytes) {
    std::uint64_t const leaf = leaf_keys_of(key_bytes);
    std::vector<int> levels;
    while (segment_keys > leaf) {
        int const bits = bits_to_leaves(segment_keys, leaf);
        int const left = (bits + wide_step_bits - 1) / wide_step_bits;
        levels.push_back(bits / left);
        segment_keys >>= static_cast<unsigned>(levels.back());
    }
    return levels.empty() ? std::vector{1} : levels;
}

HeavyKeys heavy_keys(model::KeySource& keys) {
    HeavyKeys heavy;
    if (keys.key_count() < sample_count) {
        return heavy;
    }
    for (std::uint64_t const count : sampled_stretches(keys, 0)) {
        if (count > chance_max) {
            double const share = static_cast<double>(count) / sample_count;
            heavy.count += count;
            heavy.concentration += share * share;
        }
    }
    heavy.count *= keys.key_count() / sample_count;
    return heavy;
}

std::vector<int> splitter_levels(std::uint64_t segment_keys, std::size_t key_bytes) {
    constexpr int level_bits_max = 8;
    std::uint64_t const leaf = leaf_keys_of(key_bytes);
    auto const bits_of = [](std::uint64_t leaves) {
        return static_cast<int>(std::bit_width(leaves - 1));
    };
    std::vector<int> levels;
    while (segment_keys > leaf) {
        // Leaves of two thirds are taken where that saves a level.
        int const least = bits_of((3 * segment_keys + 2 * leaf - 1) / (2 * leaf));
        int const left = (least + level_bits_max - 1) / level_bits_max;
        int const bits = bits_of((5 * segment_keys + 3 * leaf - 1) / (3 * leaf));
        levels.push_back(std::min((bits + left - 1) / left, level_bits_max));
        segment_keys >>= static_cast<unsigned>(levels.back());
    }
    return levels;
}

LocalSort::LocalSort(ScheduleBuilder& builder, DeviceProfile const& device)
    : builder_(builder), device_(device), kernels_(device) {}

void LocalSort::run(KernelCost cost, int launches, Extent extent) {
    steps_.push_back({cost, launches, extent});
}

TaskId LocalSort::add(std::uint32_t gpu, KernelCost cost, int launches) {
    return builder_.add(builder_.kernel_task(gpu, cost, launches * device_.fast->launch_us),
                        Phase::bucket_sort);
}

void LocalSort::finish(std::uint32_t gpu, std::uint64_t key_count) {
    constexpr std::uint64_t pieces_of_many = 8;
    constexpr std::uint64_t many_keys = std::uint64_t{1} << 23;
    std::uint64_t const pieces =
        builder_.goes_back(gpu) && key_count >= many_keys ? pieces_of_many : 1;
    std::vector<TaskId> last; // at most one
    for (Step const& step : steps_) {
        if (step.extent == Extent::all_at_once) {
            last = {add(gpu, step.cost, step.launches)};
        }
    }
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
        for (Step const& step : steps_) {
            if (step.extent == Extent::piece_by_piece) {
                KernelCost cost = step.cost;
                cost.duration =
                    from_seconds(to_seconds(cost.duration) / static_cast<double>(pieces));
                cost.hbm_bytes /= pieces;
                last = {add(gpu, cost, step.launches)};
            }
        }
        builder_.download(gpu, key_count * (piece + 1) / pieces - key_count * piece / pieces, last);
    }
    steps_.clear();
}

/// A level that divides one segment comes before all pieces.
LocalSort::Extent LocalSort::extent_of(std::span<SegmentGroup const> groups, std::size_t level) {
    bool const is_alone = groups.size() == 1 && groups.front().keys == groups.front().segment_keys;
    return level == 0 && is_alone ? Extent::all_at_once : Extent::piece_by_piece;
}

void LocalSort::divide(std::span<SegmentGroup const> groups, double order) {
    // Segments of one level that want almost as many bits are divided together.
    constexpr int joined_bits = 3;
    std::size_t const key_bytes = builder_.key_bytes();
    std::size_t const record_bytes = builder_.record_bytes();
    std::map<std::pair<std::size_t, int>, SegmentGroup> divided; // [level, -bits]
    for (SegmentGroup const& group : groups) {
        std::uint64_t segment_keys = group.segment_keys;
        std::vector<int> const levels = digit_levels(segment_keys, key_bytes);
        for (std::size_t level = 0; level < levels.size(); ++level) {
            SegmentGroup& all = divided[{level, -levels[level]}];
            all.keys += group.keys;
            all.segment_keys = std::max(all.segment_keys, segment_keys);
            segment_keys >>= static_cast<unsigned>(levels[level]);
        }
    }
    for (auto first = divided.begin(); first != divided.end();) {
        auto const [level, bits] = first->first;
        SegmentGroup joined = first->second;
        auto next = std::next(first);
        while (next != divided.end() && next->first.first == level &&
               next->first.second <= bits + joined_bits) {
            joined.keys += next->second.keys;
            ++next;
        }
        BlockSpread const spread =
            even_spread(-bits, joined.segment_keys, order, unstable_tile_keys(record_bytes));
        run(kernels_.histogram(key_bytes, joined.keys), launches_a_level);
        run(kernels_.unstable_step(record_bytes, joined.keys, spread), 0);
        first = next;
    }
}

void LocalSort::by_digits(std::span<SegmentGroup const> groups) {
    std::uint64_t in_leaves = 0;
    for (SegmentGroup const& group : groups) {
        in_leaves += group.keys;
    }
    run({}, launches_before);
    divide(groups, 0.0);
    run(kernels_.leaf_bins(builder_.record_bytes(), in_leaves), launches_of_leaves);
}

void LocalSort::by_digits(model::KeySource& keys) {
    constexpr std::uint32_t parts = 8; ///< of the input, which tell whether order goes with place
    std::size_t const key_bytes = builder_.key_bytes();
    std::size_t const record_bytes = builder_.record_bytes();
    std::uint64_t const count = keys.key_count();
    int const bits = digit_levels(count, key_bytes).front();
    model::DigitLayout const layout(static_cast<int>(key_bytes) * 8, bits);
    BucketPrefix const all{};
    auto const histograms = keys.histograms(model::Chunks(count, parts), layout, {&all, 1});
    model::BucketHistogram const& first = histograms.front();
    double const order = positional_order(first);
    std::vector<SegmentGroup> segments;
    for (std::uint64_t const segment : first.total()) {
        if (segment > leaf_keys_of(key_bytes)) {
            segments.push_back({segment, segment, 0});
        }
    }
    run({}, launches_before, Extent::all_at_once);
    run(kernels_.histogram(key_bytes, count), launches_a_level, Extent::all_at_once);
    run(kernels_.unstable_step(
            record_bytes,
            count,
            block_spread(first, GpuId{0}, order, unstable_tile_keys(record_bytes))),
        0,
        Extent::all_at_once);
    divide(segments, order);
    run(kernels_.leaf_bins(record_bytes, count), launches_of_leaves);
}

void LocalSort::by_counting(std::uint64_t key_count) {
    constexpr int level_bits = 32 - counting_bits;
    std::size_t const key_bytes = builder_.key_bytes();
    run({}, launches_before, Extent::all_at_once);
    Extent extent = Extent::all_at_once;
    for (int const bits : {level_bits - wide_step_bits, wide_step_bits}) {
        run(kernels_.histogram(key_bytes, key_count), launches_a_level, extent);
        run(kernels_.unstable_step(key_bytes, key_count, bits), 0, extent);
        extent = Extent::piece_by_piece;
    }
    run(kernels_.counting_sort(key_count, std::uint64_t{1} << level_bits), launches_of_leaves);
}

void LocalSort::by_splitters(std::span<SegmentGroup const> groups, std::uint64_t in_order) {
    // Segments go up, their samples are sorted and make trees; else as by digits, but that the host
    // knows where the ranges lie.
    constexpr int launches_of_trees = 3;
    // Splitters are as good as their sample: leaves have a third to all of what they may hold, and
    // a merge sort of a leaf takes as long as one of its size class.
    constexpr double uneven_leaves = 1.35;
    constexpr std::size_t bin_key_bytes_max = 8;
    std::size_t const key_bytes = builder_.key_bytes();
    std::size_t const record_bytes = builder_.record_bytes();
    std::map<std::pair<std::size_t, int>, SegmentGroup> divided; // [level, bits]
    std::uint64_t in_leaves = 0;
    for (SegmentGroup const& group : groups) {
        std::vector<int> const levels = splitter_levels(group.segment_keys, key_bytes);
        std::uint64_t keys = group.keys;
        for (std::size_t level = 0; level < levels.size(); ++level) {
            SegmentGroup& all = divided[{level, levels[level]}];
            all.keys += keys;
            if (level == 0) {
                all.heavy.count += group.heavy.count;
                all.heavy.concentration =
                    std::max(all.heavy.concentration, group.heavy.concentration);
            }
            keys = group.keys - group.heavy.count; // the others have buckets of their own
        }
        in_leaves += keys;
    }
    run(kernels_.copy(in_order * record_bytes), in_order > 0 ? 1 : 0);
    for (auto const& [step, segments] : divided) {
        Extent const extent = extent_of(groups, step.first);
        BlockSpread const spread =
            spread_with_heavy(step.second, segments, unstable_tile_keys(record_bytes));
        run(kernels_.label(key_bytes, segments.keys, step.second, segments.heavy.concentration),
            launches_a_level + launches_of_trees,
            extent);
        run(kernels_.unstable_step(record_bytes, segments.keys, spread), 0, extent);
    }
    if (key_bytes <= bin_key_bytes_max) {
        run(kernels_.leaf_bins(record_bytes, in_leaves), launches_of_leaves);
        return;
    }
    KernelCost leaves = kernels_.leaf_sort(key_bytes, record_bytes - key_bytes, in_leaves);
    leaves.duration = from_seconds(uneven_leaves * to_seconds(leaves.duration));
    run(leaves, launches_of_leaves);
}

void LocalSort::as_published(std::span<SegmentGroup const> groups, std::uint64_t in_order) {
    constexpr int ways_bits = 7;
    constexpr std::uint64_t leaf_keys_max = std::uint64_t{1} << 17;
    constexpr int launches_of_trees = 3; // segments, their trees, the sum of the table
    std::size_t const key_bytes = builder_.key_bytes();
    std::size_t const value_bytes = builder_.record_bytes() - key_bytes;
    std::map<int, std::uint64_t> divided;             // [level] keys
    std::map<std::uint64_t, std::uint64_t> in_leaves; // [keys of a leaf] keys
    for (SegmentGroup const& group : groups) {
        std::uint64_t keys = group.keys;
        std::uint64_t segment_keys = group.segment_keys;
        for (int level = 0; segment_keys > leaf_keys_max; ++level) {
            divided[level] += keys;
            keys = group.keys - group.heavy.count; // the others have buckets of their own
            segment_keys >>= static_cast<unsigned>(ways_bits);
        }
        in_leaves[segment_keys] += keys;
    }
    run(kernels_.copy(in_order * builder_.record_bytes()), launches_before);
    for (auto const& [level, keys] : divided) {
        run(kernels_.direct_step(key_bytes, value_bytes, keys, ways_bits),
            launches_a_level + launches_of_trees,
            extent_of(groups, static_cast<std::size_t>(level)));
    }
    for (auto const& [leaf, keys] : in_leaves) {
        run(kernels_.quicksort(key_bytes, value_bytes, keys, leaf), launches_of_leaves);
    }
}

} // namespace keyswap::simulator
