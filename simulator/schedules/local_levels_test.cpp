// Levels of a GPU's own sort, computed by hand.

#include "simulator/schedules/local_levels.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "simulator/schedules/local_batches.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

constexpr RecordBytes u32{4, 0};
constexpr RecordBytes u64{8, 0};

LocalSegment segment(std::uint64_t count, int end_bit, std::vector<std::uint64_t> children) {
    return {{0, (model::uint128{1} << static_cast<unsigned>(end_bit)) - 1},
            count,
            end_bit,
            std::move(children)};
}

std::vector<std::uint64_t> even(std::uint64_t count) {
    return std::vector<std::uint64_t>(512, count / 512);
}

TEST(LocalLevels, EvenKeysTakeTheLevelsThatTheirNumberAsksFor) {
    std::uint64_t const count = std::uint64_t{1} << 28;
    LocalSegment const all = segment(count, 64, even(count));
    DigitLevels const sort = digit_levels({&all, 1}, SegmentPlace::in_order, u64, 0.0);
    ASSERT_EQ(sort.levels.size(), 2U);
    EXPECT_EQ(sort.levels[0].bits, 9);
    EXPECT_EQ(sort.levels[1].bits, 8);
    EXPECT_EQ(sort.levels[1].segments, 512U);
    EXPECT_EQ(sort.levels[1].keys, count);
    EXPECT_EQ(sort.levels[1].leaf_keys, count);
}

TEST(LocalLevels, OfCountedBitsDoNotReadTheKeysAgain) {
    auto const profile = load_device_profile("h200");
    ASSERT_TRUE(profile);
    FastKernels const kernels(*profile);
    std::uint64_t const count = std::uint64_t{1} << 28;
    LocalSegment const all = segment(count, 64, even(count));
    DigitLevels sort = digit_levels({&all, 1}, SegmentPlace::in_order, u64, 0.0);
    auto const reads = [&](std::size_t level) {
        return digit_batches(kernels, u64, Stability::unstable, sort)[level]
                   .until_known.front()
                   .cost.duration > SimTime{};
    };
    EXPECT_TRUE(reads(0) && reads(1));
    sort.known_bits = 17; // of digits of 9 and 8 bits
    EXPECT_TRUE(reads(0));
    EXPECT_FALSE(reads(1));
    sort.known_bits = 16;
    EXPECT_TRUE(reads(1));
    sort.first_counts = false;
    EXPECT_FALSE(reads(0));
}

TEST(LocalLevels, SegmentsOfALeafHaveNoSplitters) {
    for (RecordBytes const record : {u32, u64, RecordBytes{16, 0}}) {
        std::uint64_t const leaf = leaf_keys_of(record);
        EXPECT_TRUE(splitter_levels(leaf, record).empty());
        EXPECT_EQ(splitter_levels(leaf + 1, record).size(), 1U);
    }
}

TEST(LocalLevels, AFullDigitTakesLevelsThatTheOthersDoNot) {
    constexpr std::uint64_t full = std::uint64_t{1} << 19;
    std::vector<std::uint64_t> children(512, 2800);
    children[7] = full;
    LocalSegment const all = segment(511 * 2800 + full, 64, children);
    DigitLevels const sort = digit_levels({&all, 1}, SegmentPlace::arrived, u64, 0.0);
    // If keys were even, one level of nine bits would suffice for 1.9e6 keys.
    ASSERT_EQ(sort.levels.size(), 2U);
    EXPECT_EQ(sort.levels[0].bits, 9);
    EXPECT_EQ(sort.levels[0].leaf_keys, 511U * 2800U);
    EXPECT_NEAR(sort.levels[0].spread.fullest, 0.27, 0.01);
    EXPECT_EQ(sort.levels[1].keys, full);
    EXPECT_EQ(sort.levels[1].bits, 8);
    EXPECT_EQ(sort.levels[1].leaf_keys, full);
}

TEST(LocalLevels, WhatIsLeftOf32BitKeysIsCountedOnceItHasFifteenBits) {
    std::uint64_t const many = std::uint64_t{1} << 24;
    LocalSegment const low = segment(many, 8, std::vector<std::uint64_t>(256, many / 256));
    DigitLevels const counted = digit_levels({&low, 1}, SegmentPlace::arrived, u32, 0.0);
    EXPECT_TRUE(counted.levels.empty());
    EXPECT_EQ(counted.arrived.keys, many);
    EXPECT_EQ(counted.arrived.tiles, 32U); // of 2^19 keys
    DigitLevels const pairs = digit_levels({&low, 1}, SegmentPlace::arrived, {4, 4}, 0.0);
    EXPECT_EQ(pairs.arrived.keys, 0U);
    ASSERT_EQ(pairs.levels.size(), 2U); // of 6 bits, as if they were many, and 2 that are left
    EXPECT_EQ(pairs.levels[1].one_value_keys, many);
    // Crowded keys are divided down to 15 bits at once: 2^24 keys in 24 bits.
    LocalSegment const crowded = segment(many * 16, 24, even(many * 16));
    DigitLevels const sort = digit_levels({&crowded, 1}, SegmentPlace::arrived, u32, 0.0);
    ASSERT_EQ(sort.levels.size(), 1U);
    EXPECT_EQ(sort.levels[0].bits, 9);
    EXPECT_EQ(sort.tiled.keys, many * 16);
    EXPECT_EQ(sort.tiled.stretches, 512U);
}

TEST(LocalLevels, DenseKeysAreCountedBehindTwoDigitsUnlessTheFirstLeavesTooManyInAChild) {
    std::uint64_t const count = std::uint64_t{1} << 30;
    LocalSegment const all = segment(count, 32, even(count));
    DigitLevels const sort = digit_levels({&all, 1}, SegmentPlace::dense, u32, 0.0);
    ASSERT_EQ(sort.levels.size(), 2U);
    EXPECT_EQ(sort.levels[0].bits, 8);
    EXPECT_EQ(sort.levels[1].bits, 9);
    EXPECT_EQ(sort.narrow.keys, count); // 2^13 in each; leaves could hold them too
    EXPECT_EQ(sort.narrow.stretches, std::uint64_t{1} << 17);
    EXPECT_EQ(sort.levels[1].leaf_keys, 0U);
    // More than 2^16 - 1 keys in each of 2^9 stretches.
    constexpr std::uint64_t too_many = (std::uint64_t{1} << 25) + 1024;
    std::vector<std::uint64_t> children = even(count);
    children[0] = too_many;
    std::uint64_t const sum = count - children[1] + too_many;
    LocalSegment const crowded = segment(sum, 32, children);
    DigitLevels const by_levels = digit_levels({&crowded, 1}, SegmentPlace::dense, u32, 0.0);
    EXPECT_EQ(by_levels.narrow.keys + by_levels.middle.keys, too_many + children[1]);
    EXPECT_GT(by_levels.levels[1].leaf_keys, count / 2);
}

TEST(LocalLevels, WhatManyKeysHaveInCommonIsDividedByItsOwnCounts) {
    std::uint64_t const count = std::uint64_t{1} << 30;
    auto const levels_of = [&](char const* distribution, double parameter) {
        auto generator =
            model::KeyGenerator::make({distribution, parameter, KeyType::u32, count, 1});
        EXPECT_TRUE(generator);
        model::ClosedFormSource keys(std::move(*generator));
        LocalSegment all = segment(count, 32, {});
        count_children({&all, 1}, keys);
        return digit_levels({&all, 1}, SegmentPlace::in_order, u32, 0.0, &keys);
    };
    // 256 values: both digits have a single bucket, and one stretch remains.
    DigitLevels const few = levels_of("skewed", 8);
    ASSERT_EQ(few.levels.size(), 2U);
    EXPECT_EQ(few.levels[1].spread.fullest, 1.0);
    EXPECT_EQ(few.tiled.stretches, 1U);
    EXPECT_EQ(few.tiled.keys, count);
    // Digits do not recognise equal keys before they have read all bits.
    DigitLevels const equal = levels_of("skewed", 0);
    ASSERT_EQ(equal.levels.size(), 2U);
    EXPECT_EQ(equal.tiled.keys, count);
}

TEST(LocalLevels, SegmentsShareALevelHoweverManyBitsTheyHaveLeft) {
    std::uint64_t const many = std::uint64_t{1} << 22;
    std::vector<std::uint64_t> const children(32, many / 32);
    std::vector<LocalSegment> const segments{
        segment(many, 30, children), segment(many, 32, children), segment(many, 33, children)};
    DigitLevels const sort = digit_levels(segments, SegmentPlace::arrived, u64, 0.0);
    ASSERT_EQ(sort.levels.size(), 2U);
    EXPECT_EQ(sort.levels[0].segments, 3U);
    // If a digit can leave 15 bits, it takes all bits above them: of segments up to 24 bits.
    std::vector<LocalSegment> const to_count{segment(many, 17, std::vector(4U, many / 4)),
                                             segment(many, 24, children)};
    DigitLevels const counted = digit_levels(to_count, SegmentPlace::arrived, u32, 0.0);
    ASSERT_EQ(counted.levels.size(), 1U);
    EXPECT_EQ(counted.levels[0].bits, 9);
    EXPECT_EQ(counted.tiled.stretches, 4U); // of 2^20 keys; those of 2^13 are leaves
}

TEST(LocalLevels, FewValuesEndInBucketsOfTheirOwn) {
    std::uint64_t const count = std::uint64_t{1} << 28;
    auto const levels_of = [&](char const* distribution, double parameter) {
        auto generator =
            model::KeyGenerator::make({distribution, parameter, KeyType::u64, count, 1});
        EXPECT_TRUE(generator);
        model::ClosedFormSource keys(std::move(*generator));
        LocalSegment const all = segment(count, 64, {});
        return splitter_levels({&all, 1}, SegmentPlace::in_order, u64, sample_keys(keys));
    };
    // One value ends at the first level, and no key of many values does.
    std::vector<SplitterLevel> const equal = levels_of("zero", 0.0);
    ASSERT_EQ(equal.size(), 3U);
    EXPECT_EQ(equal[0].bits, 6);
    EXPECT_EQ(equal[0].heavy.count, count);
    EXPECT_EQ(equal[0].heavy.concentration, 1.0);
    EXPECT_EQ(equal[1].keys, 0U);
    std::vector<SplitterLevel> const uniform = levels_of("uniform", 0.0);
    EXPECT_EQ(uniform[0].heavy.count + uniform[1].heavy.count + uniform[2].heavy.count, 0U);
    EXPECT_EQ(uniform[2].leaf_keys, count);
    // Of 64 ways, 256 and 2,557 values have one splitter each at most, and many at later levels.
    for (auto const& [distribution, parameter] :
         {std::pair{"identity", 256.0}, std::pair{"dates", 7.0}}) {
        std::vector<SplitterLevel> const few = levels_of(distribution, parameter);
        EXPECT_EQ(few[0].heavy.count, 0U) << distribution;
        EXPECT_EQ(few[1].keys, count) << distribution;
        EXPECT_LT(few[2].leaf_keys, count / 10) << distribution;
    }
    EXPECT_GT(levels_of("identity", 256.0)[1].heavy.count, count - count / 10);
    // 20 values have three splitters each.
    EXPECT_EQ(levels_of("identity", 20.0)[0].heavy.count, count);
}

TEST(LocalLevels, ValuesInPlaceAreNotCopied) {
    auto const profile = load_device_profile("h200");
    ASSERT_TRUE(profile);
    FastKernels const kernels(*profile);
    std::uint64_t const count = std::uint64_t{1} << 28;
    auto const steps = [&](int level, ImageCode code) {
        std::vector<SplitterLevel> levels(2, {7, count, 1, {}, 0});
        levels[static_cast<std::size_t>(level)].heavy = {count / 2, 0.5};
        auto const batches = splitter_batches(kernels, u64, levels, 0, digit_segments_max, code);
        return batches[static_cast<std::size_t>(level)].then.size();
    };
    EXPECT_EQ(steps(0, ImageCode::identity), 1U); // the move to the buffer of the result
    EXPECT_EQ(steps(1, ImageCode::identity), 2U);
    EXPECT_EQ(steps(0, ImageCode::decoded), 2U);
}

TEST(LocalLevels, SegmentsOfOneValueAreCopied) {
    LocalSegment const same = segment(100'000, 0, {});
    DigitLevels const sort = digit_levels({&same, 1}, SegmentPlace::arrived, u64, 0.0);
    EXPECT_EQ(sort.one_value_keys, 100'000U);
    EXPECT_TRUE(sort.levels.empty());
}

} // namespace
} // namespace keyswap::simulator
