#include "kernels/primitives/partition/partition_kernels.hpp"

#include "kernels/device/device_copies_test.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <numeric>

namespace keyswap::kernels {
namespace {

using gpu_test::make_keys;
using gpu_test::on_device;
using gpu_test::on_host;
using gpu_test::pattern_count;

template <class Word>
std::vector<std::uint64_t> sizes_around_a_tile() {
    std::uint64_t const tile = histogram_tile_bytes / sizeof(Word);
    return {0, 1, tile - 1, tile, tile + 1, 1'000'003};
}

/// Reference counts, digit by digit.
template <class Word>
std::vector<std::uint64_t>
count_digits(std::vector<Word> const& keys, KeyRange range, DigitWindow window) {
    std::vector<std::uint64_t> counts(window.digit_count(), 0);
    for (std::uint64_t i = range.offset; i < range.offset + range.count; ++i) {
        counts[static_cast<std::size_t>((keys[i] >> window.shift) & (window.digit_count() - 1))] +=
            1;
    }
    return counts;
}

template <class Word>
void expect_histograms_are_right(int bits) {
    constexpr int key_bits = sizeof(Word) * 8;
    for (std::uint64_t const size : sizes_around_a_tile<Word>()) {
        for (int pattern = 0; pattern < pattern_count; ++pattern) {
            auto const keys = make_keys<Word>(pattern, size, 17 + size);
            auto const device_keys = on_device(keys);
            DigitWindow const window{key_bits - bits, bits};
            DeviceBuffer<std::uint64_t> const counts{0, window.digit_count() * 2};
            // The second part begins at an odd offset, so that its vector loads are unaligned.
            PartList parts;
            parts.count = 2;
            parts.part[0] = {0, size};
            parts.part[1] = {size / 3, size / 2};
            launch_histogram(
                nullptr, sizeof(Word), device_keys.data(), parts, window, counts.data());
            auto const result = on_host(counts.data(), window.digit_count() * 2);
            auto expected = count_digits(keys, parts.part[0], window);
            auto const second = count_digits(keys, parts.part[1], window);
            expected.insert(expected.end(), second.begin(), second.end());
            ASSERT_EQ(result, expected) << size << " keys, pattern " << pattern;
        }
    }
}

TEST(HistogramKernel, CountsDigitsOf32BitKeys) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_histograms_are_right<std::uint32_t>(8);
    expect_histograms_are_right<std::uint32_t>(1);
    expect_histograms_are_right<std::uint32_t>(12);
}

TEST(HistogramKernel, CountsDigitsOf64BitKeys) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_histograms_are_right<std::uint64_t>(8);
    expect_histograms_are_right<std::uint64_t>(11);
}

TEST(HistogramKernel, AddsPiecesToTheCountsOfThoseBefore) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const keys = make_keys<std::uint32_t>(0, 1'000'003, 5);
    auto const device_keys = on_device(keys);
    DigitWindow const window{24, 8};
    DeviceBuffer<std::uint64_t> const counts{0, window.digit_count()};
    auto before = CountsBefore::cleared;
    // Pieces that begin at odd offsets, and an empty one.
    for (KeyRange const& piece :
         {KeyRange{0, 333'335}, KeyRange{333'335, 0}, KeyRange{333'335, 666'668}}) {
        PartList parts;
        parts.part[parts.count++] = piece;
        launch_histogram(nullptr, 4, device_keys.data(), parts, window, counts.data(), before);
        before = CountsBefore::kept;
    }
    EXPECT_EQ(on_host(counts.data(), window.digit_count()),
              count_digits(keys, {0, keys.size()}, window));
}

template <class Word>
void expect_ranges_are_counted(int pattern, ImageCode code) {
    std::uint64_t const size = 300'007;
    auto const keys = make_keys<Word>(pattern, size, 3);
    auto const device_keys = on_device(keys);
    constexpr int low_bits = sizeof(Word) * 8 - 16;
    CountedRanges ranges;
    // Buckets of two 8-bit digits: first, last, two adjacent ones, and some where keys crowd.
    for (std::uint64_t const prefix : {0x0000U, 0x1234U, 0x5a00U, 0x5a01U, 0x80ffU, 0xffffU}) {
        ranges.lowest[ranges.count] = prefix << low_bits;
        ranges.highest[ranges.count] = prefix << low_bits | ((std::uint64_t{1} << low_bits) - 1);
        ++ranges.count;
    }
    DigitWindow const window{low_bits - 8, 8, code};
    std::vector<std::uint64_t> expected(std::size_t{ranges.count} << window.bits);
    for (Word const key : keys) {
        Word const image = encode_image(key, code);
        for (std::uint32_t i = 0; i < ranges.count; ++i) {
            if (ranges.lowest[i] <= image && image <= ranges.highest[i]) {
                ++expected[(i << window.bits) + (image >> window.shift & 0xffU)];
            }
        }
    }
    DeviceBuffer<std::uint64_t> const counts{0, expected.size()};
    launch_range_histogram(
        nullptr, sizeof(Word), device_keys.data(), size, ranges, window, counts.data());
    ASSERT_EQ(on_host(counts.data(), expected.size()), expected) << "pattern " << pattern;
}

TEST(RangeHistogramKernel, CountsWhatLiesInARangeWhereverItIs) {
    KEYSWAP_NEEDS_GPUS(1);
    for (int pattern = 0; pattern < pattern_count; ++pattern) {
        expect_ranges_are_counted<std::uint32_t>(pattern, {});
        expect_ranges_are_counted<std::uint32_t>(pattern,
                                                 image_code(KeyType::f32, Direction::descending));
        expect_ranges_are_counted<std::uint64_t>(pattern,
                                                 image_code(KeyType::i64, Direction::ascending));
    }
}

TEST(RangeHistogramKernel, TakesAsManyRangesAsASortOf64GpusRefines) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const keys = make_keys<std::uint32_t>(0, 100'003, 9);
    auto const device_keys = on_device(keys);
    CountedRanges ranges;
    for (; ranges.count < spanning_bucket_count_max; ++ranges.count) {
        ranges.lowest[ranges.count] = std::uint64_t{4 * ranges.count} << 24;
        ranges.highest[ranges.count] = ranges.lowest[ranges.count] | 0xffffffU;
    }
    std::vector<std::uint64_t> expected(std::size_t{ranges.count} << 8);
    for (std::uint32_t const key : keys) {
        if ((key >> 24) % 4 == 0) {
            ++expected[(key >> 26 << 8) + (key >> 16 & 0xffU)];
        }
    }
    DeviceBuffer<std::uint64_t> const counts{0, expected.size()};
    launch_range_histogram(
        nullptr, 4, device_keys.data(), keys.size(), ranges, {16, 8}, counts.data());
    EXPECT_EQ(on_host(counts.data(), expected.size()), expected);
}

TEST(FoldKernel, AddsUpNeighbours) {
    KEYSWAP_NEEDS_GPUS(1);
    std::vector<std::uint64_t> halves(512);
    std::iota(halves.begin(), halves.end(), std::uint64_t{1} << 40);
    auto const device_halves = on_device(halves);
    DeviceBuffer<std::uint64_t> const counts{0, 256};
    launch_fold(nullptr, device_halves.data(), 256, counts.data());
    auto const result = on_host(counts.data(), 256);
    for (std::size_t i = 0; i < result.size(); ++i) {
        ASSERT_EQ(result[i], halves[2 * i] + halves[2 * i + 1]);
    }
}

TEST(BucketDigestKernel, TellsTheBucketsOfAStretchApart) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const keys = make_keys<std::uint64_t>(0, 20'011, 5);
    auto const values = make_keys<std::uint32_t>(0, keys.size(), 6);
    auto const device_keys = on_device(keys);
    auto const device_values = on_device(values);
    // Two stretches with a gap between; elements below the first bucket count as its own.
    std::vector<BucketStretch> const stretches{{{3, 9'000}, 0, 3}, {{9'100, 10'911}, 3, 1}};
    std::vector<WideImage> const lowest{
        WideImage{1} << 62, WideImage{1} << 63, WideImage{3} << 62, WideImage{5}};
    std::vector<MultisetDigest> expected(lowest.size());
    for (BucketStretch const& stretch : stretches) {
        for (std::uint64_t i = 0; i < stretch.range.count; ++i) {
            std::uint64_t const at = stretch.range.offset + i;
            std::uint32_t bucket = stretch.first_bucket;
            while (bucket + 1 < stretch.first_bucket + stretch.bucket_count &&
                   lowest[bucket + 1] <= keys[at]) {
                ++bucket;
            }
            expected[bucket] += digest_of(keys[at], values[at]);
        }
    }
    auto const device_stretches = on_device(stretches);
    auto const device_lowest = on_device(lowest);
    DeviceBuffer<MultisetDigest> const digests{0, expected.size()};
    launch_bucket_digests(nullptr,
                          {8, device_keys.data(), 4, device_values.data()},
                          {device_stretches.data(), 2, device_lowest.data(), 4},
                          digests.data());
    EXPECT_EQ(on_host(digests.data(), expected.size()), expected);
}

TEST(PlacementKernel, DecidesEverySubBucketFromTheSumOfAllGpusHistograms) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint32_t const digits : {1U, 2U, 256U, 1024U, 2048U, 4096U}) {
        std::uint32_t const gpus = 5;
        std::uint32_t const buckets = 3;
        gpu_test::TestRandom random{digits};
        std::vector<std::uint64_t> table(std::size_t{gpus} * buckets * digits);
        for (std::uint64_t& count : table) {
            count = random.next() % 4 == 0 ? 0 : random.next() % 1000;
        }
        std::uint64_t const total =
            std::accumulate(table.begin(), table.end(), std::uint64_t{0}) + 1000;
        PlacementRule const rule{total / gpus + 1, total / gpus / 200, gpus};
        BucketStarts starts;
        starts.count = buckets;
        std::vector<PlacementDecision> expected;
        std::uint64_t at = 0;
        for (std::uint32_t bucket = 0; bucket < buckets; ++bucket) {
            at += bucket * 100; // keys of buckets that were already placed
            starts.begin[bucket] = at;
            for (std::uint32_t digit = 0; digit < digits; ++digit) {
                std::uint64_t sum = 0;
                for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
                    sum += table[(std::size_t{gpu} * buckets + bucket) * digits + digit];
                }
                PlacementDecision decision{at, at + sum, {0, 0}};
                if (sum > 0) {
                    decision.gpus = place_bucket(rule, at, at + sum);
                }
                expected.push_back(decision);
                at += sum;
            }
        }
        auto const device_table = on_device(table);
        DeviceBuffer<PlacementDecision> const decisions{0, expected.size()};
        launch_placement(nullptr, rule, starts, digits, device_table.data(), decisions.data());
        auto const result = on_host(decisions.data(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(result[i].begin, expected[i].begin) << digits << " digits, entry " << i;
            ASSERT_EQ(result[i].end, expected[i].end);
            ASSERT_EQ(result[i].gpus, expected[i].gpus);
        }
    }
}

template <class Word>
void expect_images_change_both_ways(KeyType type) {
    for (std::uint64_t const size : sizes_around_a_tile<Word>()) {
        auto const keys = make_keys<Word>(0, size, size);
        ImageCode const code = image_code(type, Direction::descending);
        auto const device_keys = on_device(keys);
        launch_image_change(
            nullptr, sizeof(Word), device_keys.data(), size, code, ImageChange::encode);
        std::vector<Word> expected = keys;
        for (Word& key : expected) {
            key = encode_image(key, code);
        }
        ASSERT_EQ(on_host(device_keys.data(), size), expected);
        launch_image_change(
            nullptr, sizeof(Word), device_keys.data(), size, code, ImageChange::decode);
        ASSERT_EQ(on_host(device_keys.data(), size), keys);
    }
}

TEST(ImageKernel, EncodesAndDecodesEveryKey) {
    KEYSWAP_NEEDS_GPUS(1);
    expect_images_change_both_ways<std::uint32_t>(KeyType::f32);
    expect_images_change_both_ways<std::uint32_t>(KeyType::i32);
    expect_images_change_both_ways<std::uint64_t>(KeyType::f64);
    expect_images_change_both_ways<std::uint64_t>(KeyType::u64);
}

TEST(DigestKernel, AddsUpTheDigestsOfKeysAndValues) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const keys = make_keys<std::uint32_t>(0, 100'003, 1);
    auto const values = make_keys<std::uint64_t>(0, 100'003, 2);
    std::vector<KeyRange> const ranges = {{0, 0}, {5, 1}, {17, 65'537}, {0, 100'003}};
    auto const device_keys = on_device(keys);
    auto const device_values = on_device(values);
    auto const device_ranges = on_device(ranges);
    DeviceBuffer<MultisetDigest> const digests{0, ranges.size()};
    for (int const value_bytes : {0, 8}) {
        launch_digests(nullptr,
                       {4, device_keys.data(), value_bytes, device_values.data()},
                       device_ranges.data(),
                       static_cast<std::uint32_t>(ranges.size()),
                       digests.data());
        auto const result = on_host(digests.data(), ranges.size());
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            MultisetDigest expected;
            for (std::uint64_t k = 0; k < ranges[i].count; ++k) {
                std::uint64_t const at = ranges[i].offset + k;
                expected += digest_of(keys[at], value_bytes == 0 ? 0 : values[at]);
            }
            ASSERT_EQ(result[i], expected) << "range " << i;
        }
    }
}

TEST(DigestKernel, OfASequenceDependsOnTheOrderOfImages) {
    KEYSWAP_NEEDS_GPUS(1);
    auto const values = make_keys<std::uint64_t>(0, 10'007, 2);
    auto const device_values = on_device(values);
    ImageCode const code = image_code(KeyType::f32, Direction::descending);
    for (int const pattern : {0, 5}) {
        auto const keys = make_keys<std::uint32_t>(pattern, 10'007, 1);
        auto const device_keys = on_device(keys);
        DeviceBuffer<SequenceDigest> const digest{0, 1};
        launch_sequence_digest(nullptr,
                               {4, device_keys.data(), 8, device_values.data(), code},
                               keys.size(),
                               digest.data());
        SequenceDigest expected;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            expected += digest_at(i, digest_of(encode_image(keys[i], code), values[i]));
        }
        EXPECT_EQ(on_host(digest.data(), 1)[0], expected);
    }
}

TEST(RadixSort, SortsStablyByAWindowOfBits) {
    KEYSWAP_NEEDS_GPUS(1);
    for (std::uint64_t const size : {1ULL, 2ULL, 5'000ULL, 300'007ULL}) {
        auto const keys = make_keys<std::uint32_t>(0, size, size);
        std::vector<std::uint32_t> index(size);
        std::iota(index.begin(), index.end(), 0U);
        for (BitWindow const window : {BitWindow{24, 32}, BitWindow{0, 24}, BitWindow{0, 0}}) {
            DeviceBuffer<std::uint32_t> const key_places[2] = {on_device(keys), on_device(keys)};
            DeviceBuffer<std::uint32_t> const value_places[2] = {on_device(index),
                                                                 on_device(index)};
            std::size_t const temp_bytes = radix_sort_temp_bytes({4, 4}, size);
            DeviceBuffer<std::byte> const temp{0, temp_bytes};
            SortBuffers const buffers{{key_places[0].data(), key_places[1].data()},
                                      {value_places[0].data(), value_places[1].data()},
                                      0};
            int const place =
                launch_radix_sort(nullptr, {4, 4}, buffers, size, window, temp.data(), temp_bytes);
            std::vector<std::uint32_t> expected = index;
            std::uint32_t const mask = window.end == window.begin
                                           ? 0
                                           : (~0U >> (32 - (window.end - window.begin)))
                                                 << window.begin;
            std::stable_sort(
                expected.begin(), expected.end(), [&keys, mask](std::uint32_t a, std::uint32_t b) {
                    return (keys[a] & mask) < (keys[b] & mask);
                });
            ASSERT_EQ(on_host(value_places[place].data(), size), expected);
        }
    }
}

} // namespace
} // namespace keyswap::kernels
