// Levels of a GPU's own sort and the rounds that feed it, by hand.

#include "simulator/schedules/local_levels.hpp"

#include "model/keys/plain_source.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "simulator/schedules/swap_rounds.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <numeric>

namespace keyswap::simulator {
namespace {

constexpr RecordBytes u32{4, 0};
constexpr RecordBytes u64{8, 0};

TEST(LocalLevels, FewerLevelsMayFillLeavesUpToFourStandardDeviations) {
    // 512 leaves of 3,840 = 62^2 - 4 keys have room for 4 * 62 more in 4,096; 512 of 3,850 have
    // not.
    EXPECT_EQ(levels_to_leaves(512 * 3840, 4096), 1);
    EXPECT_EQ(levels_to_leaves(512 * 3850, 4096), 2);
    EXPECT_EQ(levels_to_leaves(4096, 4096), 0);
    EXPECT_EQ(bits_of_level(512 * 3840, 4096), 9);
    EXPECT_EQ(bits_of_level(512 * 3850, 4096), 5); // 10 bits make leaves of 1,925 keys
    EXPECT_EQ(bits_of_level(std::uint64_t{1} << 28, 4096), 8);
}

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
    EXPECT_EQ(sort.levels[0].bits, 8);
    EXPECT_EQ(sort.levels[1].bits, 9);
    EXPECT_EQ(sort.levels[1].segments, 256U);
    EXPECT_EQ(sort.levels[1].keys, count);
    EXPECT_EQ(sort.levels[1].leaf_keys, count);
}

TEST(LocalLevels, AFullDigitTakesLevelsThatTheOthersDoNot) {
    constexpr std::uint64_t full = std::uint64_t{1} << 19;
    std::vector<std::uint64_t> children(512, 2800);
    children[7] = full;
    LocalSegment const all = segment(511 * 2800 + full, 64, children);
    DigitLevels const sort = digit_levels({&all, 1}, SegmentPlace::arrived, u64, 0.0);
    // Nine bits of 1.9e6 keys would be one level if they were even.
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
    // Keys that crowd are divided down to 15 bits at once: 2^24 keys in 24 bits.
    LocalSegment const crowded = segment(many * 16, 24, even(many * 16));
    DigitLevels const sort = digit_levels({&crowded, 1}, SegmentPlace::arrived, u32, 0.0);
    ASSERT_EQ(sort.levels.size(), 1U);
    EXPECT_EQ(sort.levels[0].bits, 9);
    EXPECT_EQ(sort.wide.keys, many * 16);
    EXPECT_EQ(sort.wide.stretches, 512U);
}

TEST(LocalLevels, SegmentsShareALevelHoweverManyBitsTheyHaveLeft) {
    std::uint64_t const many = std::uint64_t{1} << 22;
    std::vector<std::uint64_t> const children(32, many / 32);
    std::vector<LocalSegment> const segments{
        segment(many, 30, children), segment(many, 32, children), segment(many, 33, children)};
    DigitLevels const sort = digit_levels(segments, SegmentPlace::arrived, u64, 0.0);
    ASSERT_EQ(sort.levels.size(), 2U);
    EXPECT_EQ(sort.levels[0].segments, 3U);
    // What one digit leaves 15 bits of is divided by all the others: up to 24 bits.
    std::vector<LocalSegment> const to_count{segment(many, 17, std::vector(4U, many / 4)),
                                             segment(many, 24, children)};
    DigitLevels const counted = digit_levels(to_count, SegmentPlace::arrived, u32, 0.0);
    ASSERT_EQ(counted.levels.size(), 1U);
    EXPECT_EQ(counted.levels[0].bits, 9);
    EXPECT_EQ(counted.wide.stretches, 4U); // of 2^20 keys; those of 2^13 are leaves
}

TEST(LocalLevels, SegmentsOfOneValueAreCopied) {
    LocalSegment const same = segment(100'000, 0, {});
    DigitLevels const sort = digit_levels({&same, 1}, SegmentPlace::arrived, u64, 0.0);
    EXPECT_EQ(sort.one_value_keys, 100'000U);
    EXPECT_TRUE(sort.levels.empty());
}

model::Plan plan_of(std::vector<std::uint64_t> const& images, std::uint32_t gpus) {
    model::SortConfig config;
    config.key_count = images.size();
    config.gpu_count = gpus;
    model::PlainSource source(images);
    return model::plan_rmg_sort(config, source);
}

std::vector<std::uint64_t> runs(std::initializer_list<std::pair<int, std::uint64_t>> counted) {
    std::vector<std::uint64_t> images;
    for (auto const& [count, image] : counted) {
        images.insert(images.end(), static_cast<std::size_t>(count), image);
    }
    return images;
}

TEST(SwapRounds, BucketsOfARoundThatBeginWithOneDigitAreSortedAsOne) {
    // The first digit 0 spans the border, and its second digits are placed in pass 2.
    std::vector<std::uint64_t> const images =
        runs({{30, 0x00010000}, {20, 0x00020000}, {30, 0x00030000}, {20, 0x05000000}});
    model::Plan const plan = plan_of(images, 2);
    ASSERT_EQ(plan.pass_count(), 2);
    constexpr std::array halves = {8, 8};
    RoundPlan const rounds = swap_rounds(plan, halves, plan.layout.bits_below(1));
    std::vector<std::uint64_t> counts;
    for (SwapSegment const& each : rounds.segments) {
        counts.push_back(each.keys.count);
    }
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{30, 20, 30, 20}));
    constexpr std::array whole = {16};
    RoundPlan const one = swap_rounds(plan, whole, plan.layout.bits_below(1));
    ASSERT_EQ(one.segments.size(), 3U);
    EXPECT_EQ(one.segments[0].keys.count, 50U);
    EXPECT_EQ(one.segments[0].keys.end_bit, 18); // second digits 1 and 2 differ in two bits
    EXPECT_EQ(one.segments[2].keys.images.lowest, 0x05000000U);
    // Splitters leave buckets apart.
    EXPECT_EQ(swap_rounds(plan, whole, 0).segments.size(), 4U);
}

TEST(SwapRounds, OnlyWhatAResultWouldReachIsCopiedBeforeTheFirstSort) {
    // Either chunk has 10 keys of each of four digits; a GPU owns two of them, one a round.
    std::vector<std::uint64_t> const chunk =
        runs({{10, 0x01000000}, {10, 0x02000000}, {10, 0x03000000}, {10, 0x04000000}});
    std::vector<std::uint64_t> images = chunk;
    images.insert(images.end(), chunk.begin(), chunk.end());
    model::Plan const plan = plan_of(images, 2);
    ASSERT_EQ(plan.pass_count(), 1);
    constexpr std::array halves = {8, 8};
    RoundPlan const rounds = swap_rounds(plan, halves, plan.layout.bits_below(1));
    // The chunk: what stays of round 1, what round 0 sends, what stays of it from 20 on, where its
    // result of 20 keys ends, and what round 1 sends.
    EXPECT_EQ(rounds.rounds[0].own_copied, (std::vector<std::uint64_t>{0, 0}));
    EXPECT_EQ(rounds.rounds[1].own_copied, (std::vector<std::uint64_t>{10, 10}));
    EXPECT_EQ(rounds.rounds[0].sent_before, (std::vector<std::uint32_t>{1, 1}));
    EXPECT_EQ(rounds.rounds[1].sent_before, (std::vector<std::uint32_t>{2, 2}));
}

TEST(SwapRounds, ASharedValueLeavesOneCopyAPair) {
    std::vector<std::uint64_t> const images = runs({{10, 1}, {80, 7}, {10, 9}});
    model::Plan const plan = plan_of(images, 2);
    constexpr std::array halves = {8, 8};
    RoundPlan const rounds = swap_rounds(plan, halves, plan.layout.bits_below(1));
    ASSERT_EQ(rounds.rounds.size(), 1U);
    SwapRound const& all = rounds.rounds.front();
    EXPECT_EQ(std::accumulate(all.keys.begin(), all.keys.end(), std::uint64_t{0}), 100U);
    EXPECT_EQ(all.sent_before, (std::vector<std::uint32_t>{1, 1}));
    // 10 and 40 keys on GPU 0, 40 and 10 on GPU 1; the scatter keeps all 80 together.
    ASSERT_EQ(rounds.segments.size(), 4U);
    EXPECT_EQ(rounds.segments[1].keys.end_bit, 0);
    model::BucketHistogram const labels = scatter_labels(plan, rounds);
    EXPECT_EQ(labels.total(), (std::vector<std::uint64_t>{10, 80, 10}));
}

TEST(SwapRounds, HalvesOfSegmentsHaveTheKeysBelowTheirMiddle) {
    std::vector<std::uint64_t> const images =
        runs({{40, 0x01000000}, {10, 0x01ffffff}, {50, 0x02000000}});
    model::Plan const plan = plan_of(images, 2);
    ASSERT_EQ(plan.pass_count(), 1);
    constexpr std::array whole = {16};
    RoundPlan rounds = swap_rounds(plan, whole, plan.layout.bits_below(1));
    model::PlainSource source(images);
    count_segments(rounds, source);
    halve_segments(rounds);
    ASSERT_EQ(rounds.segments.size(), 3U);
    EXPECT_EQ(rounds.segments[0].keys.count, 40U);
    EXPECT_EQ(rounds.segments[1].keys.count, 10U);
    EXPECT_EQ(rounds.segments[1].keys.images.lowest, 0x01800000U);
    EXPECT_EQ(rounds.segments[1].keys.end_bit, 23);
    EXPECT_EQ(scatter_labels(plan, rounds).total(), (std::vector<std::uint64_t>{40, 10, 50}));
}

TEST(SwapRounds, SeveralPassesTakeOneRoundWhereLabelsDoNotFit) {
    std::vector<std::uint64_t> const two_passes = runs({{30, 0x00010000}, {30, 0x00030000}});
    model::Plan plan = plan_of(two_passes, 2);
    ASSERT_EQ(plan.pass_count(), 2);
    plan.chunks = model::Chunks(std::uint64_t{1} << 26, 2);
    EXPECT_EQ(round_shares(plan, RoundSort::levels).size(), 6U);
    plan.config.gpu_count = 37; // 256 + 37 * 7 = 515 ranges, of 512
    plan.chunks = model::Chunks(std::uint64_t{1} << 30, 37);
    EXPECT_EQ(round_shares(plan, RoundSort::levels).size(), 1U);
    plan.config.gpu_count = 36;
    plan.chunks = model::Chunks(std::uint64_t{1} << 30, 36);
    EXPECT_EQ(round_shares(plan, RoundSort::levels).size(), 6U);
}

} // namespace
} // namespace keyswap::simulator
