#include "kernels/primitives/steps/segmented_sort.hpp"

#include "kernels/device/gpu_test.hpp"
#include "kernels/exchange_plan/swap_pieces.hpp"
#include "kernels/primitives/steps/step_example_test.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace keyswap::kernels {
namespace {

using gpu_test::digit_of;
using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_count;
using gpu_test::segment_sizes;
using gpu_test::StepExample;
using gpu_test::sum_of;

/// Keys below each digit of each segment, counted in one read: for numbers of digits that sorts
/// use, and others.
template <class Key>
void expect_bins_of_every_digit(int bits) {
    std::vector<std::uint64_t> const sizes{1, 100'003, 7, 5'000};
    StepExample<Key> const example{make_keys<Key>(0, sum_of(sizes), 9), sizes, 4'096};
    int const steps = (bits + step_bits - 1) / step_bits;
    std::size_t const digits = std::size_t{1} << step_bits;
    auto const bins = example.bins_of({0, bits}, step_bits, steps);
    for (std::uint32_t segment = 0; segment < example.segment_count(); ++segment) {
        for (int step = 0; step < steps; ++step) {
            BitWindow const window{step * step_bits, std::min(bits, (step + 1) * step_bits)};
            std::vector<std::uint32_t> below(digits + 1);
            for (std::uint64_t const i : example.indices_of(segment)) {
                ++below[digit_of(example.keys()[i], window) + 1];
            }
            std::partial_sum(below.begin(), below.end(), below.begin());
            below.pop_back();
            auto const row =
                bins.begin() + static_cast<std::ptrdiff_t>((segment * steps + step) * digits);
            ASSERT_TRUE(std::equal(below.begin(), below.end(), row))
                << "segment " << segment << ", step " << step << " of " << steps;
        }
    }
}

TEST(SegmentBinsKernel, CountsEveryDigitOfScatteredSegments) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int const bits : {8, 16, 24, 31}) {
        expect_bins_of_every_digit<std::uint32_t>(bits);
    }
    for (int const bits : {8, 40, 56, 63}) {
        expect_bins_of_every_digit<std::uint64_t>(bits);
    }
}

/// One digit step over scattered parts equals a stable sort of each segment by its digit.
/// \param digits of the segments, of at most digit_bits bits
template <class Key, class Value>
void expect_step_is_stable(int pattern, std::vector<BitWindow> const& digits, int digit_bits) {
    ElementShape const shape{sizeof(Key), sizeof(Value)};
    std::uint32_t const tile = tile_keys(shape, digit_bits);
    auto const sizes = segment_sizes(tile);
    std::uint64_t const total = sum_of(sizes);
    bool const is_one = digits.size() == 1; // the step's digit
    StepExample<Key> example{
        make_keys<Key>(pattern, total, 5), sizes, tile, is_one ? std::vector<BitWindow>{} : digits};
    std::vector<Value> index(total);
    std::iota(index.begin(), index.end(), Value{0});
    auto const values = on_device(example.places().input(index));
    auto const values_out = on_device(example.places().output(index));
    DigitStep step =
        example.step_by(is_one ? digits.front() : BitWindow{0, digit_bits}, digit_bits);
    step.values_in = values.data();
    step.values_out = values_out.data();
    launch_digit_step(nullptr, shape, step);

    std::vector<Key> const& keys = example.keys();
    std::vector<Value> expected;
    for (std::uint32_t segment = 0; segment < example.segment_count(); ++segment) {
        auto indices = example.indices_of(segment);
        BitWindow const window = is_one ? digits.front() : digits[segment];
        std::stable_sort(
            indices.begin(), indices.end(), [&keys, window](std::uint64_t a, std::uint64_t b) {
                return digit_of(keys[a], window) < digit_of(keys[b], window);
            });
        for (std::uint64_t const i : indices) {
            expected.push_back(static_cast<Value>(i));
        }
    }
    ASSERT_EQ(on_host(values_out.data(), total), expected);
    auto const result_keys = example.result();
    for (std::uint64_t i = 0; i < total; ++i) {
        ASSERT_EQ(result_keys[i], keys[expected[i]]);
    }
}

TEST(DigitStepKernel, SortsEverySegmentStablyByOneDigitFromScatteredParts) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_step_is_stable<std::uint32_t, std::uint32_t>(pattern, {{0, 8}}, step_bits);
        expect_step_is_stable<std::uint32_t, std::uint32_t>(pattern, {{24, 32}}, step_bits);
        expect_step_is_stable<std::uint32_t, std::uint64_t>(pattern, {{16, 19}}, step_bits);
        expect_step_is_stable<std::uint64_t, std::uint32_t>(pattern, {{56, 64}}, step_bits);
        expect_step_is_stable<std::uint64_t, std::uint64_t>(pattern, {{0, 1}}, step_bits);
        expect_step_is_stable<std::uint32_t, std::uint32_t>(pattern, {{15, 24}}, wide_step_bits);
        expect_step_is_stable<std::uint64_t, std::uint64_t>(pattern, {{55, 64}}, wide_step_bits);
    }
}

TEST(DigitStepKernel, SortsEverySegmentByItsOwnDigit) {
    KEYSWAP_NEEDS_GPUS(1);
    std::vector<BitWindow> const digits{
        {23, 32}, {8, 16}, {0, 9}, {31, 32}, {12, 19}, {14, 23}, {0, 1}, {5, 10}};
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_step_is_stable<std::uint32_t, std::uint32_t>(pattern, digits, wide_step_bits);
        expect_step_is_stable<std::uint32_t, std::uint64_t>(pattern, digits, wide_step_bits);
        expect_step_is_stable<std::uint64_t, std::uint32_t>(pattern, digits, wide_step_bits);
    }
}

/// After an unstable step every segment's digits ascend and its keys are a permutation of the old.
/// \param digits of the step, or of the segments
template <class Key>
void expect_steps_group(int pattern, std::vector<BitWindow> const& digits, int digit_bits) {
    std::uint32_t const tile = unstable_tile_keys({sizeof(Key), 0});
    auto const sizes = segment_sizes(tile);
    bool const is_one = digits.size() == 1;
    StepExample<Key> example{make_keys<Key>(pattern, sum_of(sizes), 5),
                             sizes,
                             tile,
                             is_one ? std::vector<BitWindow>{} : digits};
    launch_unstable_step(
        nullptr,
        {sizeof(Key), 0},
        example.step_by(is_one ? digits.front() : BitWindow{0, digit_bits}, digit_bits));
    auto result = example.result();
    for (std::size_t i = 0; i + 1 < example.begins().size(); ++i) {
        BitWindow const window = is_one ? digits.front() : digits[i];
        auto const begin = result.begin() + static_cast<std::ptrdiff_t>(example.begins()[i]);
        auto const end = result.begin() + static_cast<std::ptrdiff_t>(example.begins()[i + 1]);
        ASSERT_TRUE(std::is_sorted(begin, end, [window](Key a, Key b) {
            return digit_of(a, window) < digit_of(b, window);
        }));
        std::sort(begin, end);
    }
    ASSERT_EQ(result, example.sorted_segments());
}

TEST(UnstableStepKernel, GroupsEverySegmentByItsOwnDigit) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_steps_group<std::uint32_t>(
            pattern,
            {{24, 32}, {8, 16}, {0, 8}, {31, 32}, {12, 19}, {15, 23}, {0, 1}, {5, 10}},
            step_bits);
        expect_steps_group<std::uint64_t>(
            pattern,
            {{55, 64}, {8, 16}, {0, 9}, {31, 32}, {12, 19}, {30, 39}, {0, 1}, {5, 10}},
            wide_step_bits);
    }
}

TEST(UnstableStepKernel, GroupsEverySegmentByOneDigitFromScatteredParts) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_steps_group<std::uint32_t>(pattern, {{0, 8}}, step_bits);
        expect_steps_group<std::uint32_t>(pattern, {{24, 32}}, step_bits);
        expect_steps_group<std::uint32_t>(pattern, {{15, 24}}, wide_step_bits);
        expect_steps_group<std::uint32_t>(pattern, {{3, 5}}, step_bits);
        expect_steps_group<std::uint64_t>(pattern, {{56, 64}}, step_bits);
        expect_steps_group<std::uint64_t>(pattern, {{0, 1}}, step_bits);
    }
}

/// The same for pairs; a value is its key's input index.
template <class Key, class Value>
void expect_step_groups_pairs(int pattern, BitWindow window, int digit_bits) {
    ElementShape const shape{sizeof(Key), sizeof(Value)};
    std::uint32_t const tile = unstable_tile_keys(shape);
    auto const sizes = segment_sizes(tile);
    std::uint64_t const total = sum_of(sizes);
    StepExample<Key> example{make_keys<Key>(pattern, total, 5), sizes, tile};
    std::vector<Value> index(total);
    std::iota(index.begin(), index.end(), Value{0});
    auto const values = on_device(example.places().input(index));
    auto const values_out = on_device(example.places().output(index));
    DigitStep step = example.step_by(window, digit_bits);
    step.values_in = values.data();
    step.values_out = values_out.data();
    launch_unstable_step(nullptr, shape, step);
    auto const result = example.result();
    auto const places = on_host(values_out.data(), total);
    std::vector<Key> const& keys = example.keys();
    for (std::uint32_t segment = 0; segment < example.segment_count(); ++segment) {
        std::vector<std::uint64_t> found;
        for (std::uint64_t i = example.begins()[segment]; i < example.begins()[segment + 1]; ++i) {
            found.push_back(places[i]);
            ASSERT_LT(found.back(), total);
            ASSERT_EQ(result[i], keys[found.back()]);
            ASSERT_TRUE(found.size() < 2 ||
                        digit_of(result[i - 1], window) <= digit_of(result[i], window));
        }
        std::vector<std::uint64_t> wanted = example.indices_of(segment);
        std::ranges::sort(found);
        std::ranges::sort(wanted);
        ASSERT_EQ(found, wanted); // each of them once
    }
}

TEST(UnstableStepKernel, TakesEveryValueWithItsKey) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_step_groups_pairs<std::uint32_t, std::uint32_t>(pattern, {15, 24}, wide_step_bits);
        expect_step_groups_pairs<std::uint32_t, std::uint64_t>(pattern, {24, 32}, step_bits);
        expect_step_groups_pairs<std::uint64_t, std::uint32_t>(pattern, {3, 5}, step_bits);
        expect_step_groups_pairs<std::uint64_t, std::uint64_t>(pattern, {55, 64}, wide_step_bits);
    }
}

/// A step by image ranges: some digits of 4 bits have several ranges, others none. Each range has
/// its own destination, in no particular order.
template <class Key>
void expect_ranges_are_scattered(int pattern, int value_bytes, ImageCode code) {
    constexpr int shift = sizeof(Key) * 8 - 4;
    std::uint64_t const count = 100'003;
    auto keys = make_keys<Key>(pattern, count, 3);
    std::vector<Key> lowest;
    for (Key digit = 0; digit < 16; ++digit) {
        Key const begin = digit << shift;
        if (digit == 7) {
            continue; // no key has this digit
        }
        lowest.push_back(begin);
        for (Key range = 1; digit % 5 == 0 && range < 20; ++range) {
            lowest.push_back(begin + range * (digit + 3));
        }
    }
    std::vector<ScatterLabel> labels;
    std::ranges::transform(lowest, std::back_inserter(labels), [](Key image) {
        return ScatterLabel{image, 0};
    });
    // Nested nodes that lead to the labels of digits 0 and 5.
    DigitTree tree{KeyShape{static_cast<int>(sizeof(Key)) * 8, 4}};
    ASSERT_TRUE(tree.add({2, 0}));
    ASSERT_TRUE(tree.add({1, 5}));
    RangeTable const table = range_table(labels, tree);
    ASSERT_GT(table.nodes, 2U);
    std::map<std::size_t, std::vector<std::uint64_t>> of_label; // indices
    for (std::uint64_t i = 0; i < count; ++i) {
        Key image = encode_image(keys[i], code);
        if (image >> shift == 7) {
            image = static_cast<Key>(image ^ (Key{1} << shift));
            keys[i] = decode_image(image, code);
        }
        auto const after = std::ranges::upper_bound(lowest, image);
        of_label[static_cast<std::size_t>(after - lowest.begin()) - 1].push_back(i);
    }
    std::vector<std::uint32_t> bins(range_labels_max);
    std::uint32_t end = static_cast<std::uint32_t>(count);
    for (auto const& [label, indices] : of_label) {
        end -= static_cast<std::uint32_t>(indices.size());
        bins[label] = end;
    }
    auto const device_keys = on_device(keys);
    std::vector<std::uint64_t> index(count);
    std::iota(index.begin(), index.end(), std::uint64_t{0});
    std::vector<std::uint32_t> const narrow_index(index.begin(), index.end());
    auto const wide_values = on_device(index);
    auto const narrow_values = on_device(narrow_index);
    DeviceBuffer<Key> const keys_out{0, count};
    DeviceBuffer<std::uint64_t> const values_out{0, count};
    auto const device_bins = on_device(bins);
    std::vector<RangeLabels> ranges(1);
    ranges[0].nodes = table.nodes;
    ranges[0].labels = static_cast<std::uint32_t>(lowest.size());
    ranges[0].depth = table.depth;
    std::ranges::copy(table.entries, ranges[0].entries);
    std::ranges::copy(lowest, ranges[0].lowest);
    auto const device_ranges = on_device(ranges);
    ElementShape const shape{sizeof(Key), value_bytes};
    std::uint32_t const tile = unstable_tile_keys(shape);
    auto const tiles = static_cast<std::uint32_t>((count + tile - 1) / tile);
    auto const part = on_device(std::vector<SegmentPart>{{0, count, 0, 0, 0}});
    DeviceBuffer<SortTile> const device_tiles{0, tiles};
    launch_tiles(nullptr, part.data(), 1, tiles, tile, device_tiles.data());
    DeviceBuffer<std::uint32_t> const scratch{0, range_labels_max};
    DigitStep step;
    step.keys_in = device_keys.data();
    step.keys_out = keys_out.data();
    step.values_in =
        value_bytes == 4 ? static_cast<void const*>(narrow_values.data()) : wide_values.data();
    step.values_out = values_out.data();
    step.tiles = device_tiles.data();
    step.tile_count = tiles;
    step.bins = device_bins.data();
    step.scratch = scratch.data();
    step.shift = shift;
    step.bits = 4;
    step.ranges = device_ranges.data();
    step.encode = code;
    launch_unstable_step(nullptr, shape, step);
    auto const result = on_host(keys_out.data(), count);
    auto const words = on_host(values_out.data(), count);
    auto const value_at = [&](std::uint64_t at) {
        return value_bytes == 8 ? words[at] : words[at / 2] >> (at % 2 * 32) & 0xffffffffU;
    };
    for (auto const& [label, indices] : of_label) {
        std::vector<Key> expected;
        std::vector<Key> found;
        for (std::size_t i = 0; i < indices.size(); ++i) {
            expected.push_back(encode_image(keys[indices[i]], code));
            found.push_back(result[bins[label] + i]);
            if (value_bytes > 0) {
                ASSERT_EQ(found.back(), encode_image(keys[value_at(bins[label] + i)], code));
            }
        }
        std::ranges::sort(expected);
        std::ranges::sort(found);
        ASSERT_EQ(found, expected) << "label " << label << ", pattern " << pattern;
    }
}

TEST(UnstableStepKernel, ScattersByRangesOfImages) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        for (int const value_bytes : {0, 4, 8}) {
            expect_ranges_are_scattered<std::uint32_t>(
                pattern, value_bytes, image_code(KeyType::f32, Direction::ascending));
            expect_ranges_are_scattered<std::uint64_t>(
                pattern, value_bytes, image_code(KeyType::i64, Direction::descending));
        }
    }
}

} // namespace
} // namespace keyswap::kernels
