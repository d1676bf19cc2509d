#include "model/external/key_ranges.hpp"

#include "model/external/external_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace keyswap::model {
namespace {

constexpr ImageInterval bytes{0, 255};

/// The ranges ascend and cover the interval without gap or overlap.
void expect_partition(std::vector<ImageInterval> const& ranges, ImageInterval of) {
    ASSERT_FALSE(ranges.empty());
    EXPECT_EQ(ranges.front().lowest, of.lowest);
    EXPECT_EQ(ranges.back().highest, of.highest);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_FALSE(ranges[i].empty()) << i;
        EXPECT_TRUE(i == 0 || ranges[i].lowest == ranges[i - 1].highest + 1) << i;
    }
}

std::vector<uint128> ascending(std::size_t count) {
    std::vector<uint128> images(count);
    std::iota(images.begin(), images.end(), uint128{0});
    return images;
}

TEST(RangeTarget, PlansThreeQuartersOfWhatFits) {
    EXPECT_EQ((RangeTarget{1'000, 100, 1'000}.planned_records()), 75U);
}

TEST(RangeTarget, PlansMoreThanFitsWhereBuffersAreFew) {
    EXPECT_EQ((RangeTarget{1'000, 100, 5}.planned_records()), 200U);
}

TEST(RangeTarget, Draws256ForEachRangeAndForFourMore) {
    // 1,000 / 75 = 13 ranges
    EXPECT_EQ((RangeTarget{1'000, 100, 1'000}.draws()), 256U * (13 + 4));
}

TEST(SamplePositions, AscendWithinTheRecords) {
    RangeTarget const target{1'000, 100, 1'000};
    auto const positions = sample_positions(target, 1);
    EXPECT_EQ(positions.size(), target.draws());
    EXPECT_TRUE(std::ranges::is_sorted(positions));
    EXPECT_LT(positions.back(), 1'000U);
    EXPECT_NE(positions, sample_positions(target, 2));
}

TEST(ChooseRanges, CutsAnEvenSampleIntoEvenRanges) {
    // 256 images for 1,024 records, 4 records each; ranges of 75 records hold 18 images.
    auto const ranges = choose_ranges(ascending(256), {1'024, 100, 100}, bytes);
    expect_partition(ranges, bytes);
    ASSERT_EQ(ranges.size(), 15U);
    EXPECT_EQ(ranges.front(), (ImageInterval{0, 17}));
}

TEST(ChooseRanges, GivesAHeavyValueARangeOfItsOwn) {
    auto sample = ascending(256);
    sample.insert(sample.end(), 64, uint128{7}); // a fifth of all records
    auto const ranges = choose_ranges(sample, {1'024, 100, 100}, bytes);
    expect_partition(ranges, bytes);
    EXPECT_EQ(std::ranges::count(ranges, ImageInterval{7, 7}), 1);
    EXPECT_EQ(std::ranges::count_if(ranges, &ImageInterval::single_valued), 1);
}

TEST(ChooseRanges, TakesHeavyValuesAtBothEnds) {
    std::vector<uint128> sample(100, uint128{0});
    sample.insert(sample.end(), 100, uint128{255});
    auto const ranges = choose_ranges(sample, {1'024, 100, 100}, bytes);
    expect_partition(ranges, bytes);
    EXPECT_EQ(ranges, (std::vector<ImageInterval>{{0, 0}, {1, 254}, {255, 255}}));
}

TEST(ChooseRanges, MakesNoMoreThanMemoryHasBuffersFor) {
    for (std::uint64_t const most : {3U, 4U, 9U}) {
        auto const ranges = choose_ranges(ascending(256), {1'024, 10, most}, bytes);
        expect_partition(ranges, bytes);
        EXPECT_LE(ranges.size(), most);
    }
}

TEST(ChooseRanges, HoldsAllImagesOfAnIntervalWithin) {
    ImageInterval const within{100, 200};
    expect_partition(choose_ranges({150, 150, 150, 199}, {1'024, 100, 100}, within), within);
}

TEST(DivideMemory, NeverGivesMoreThanThereIs) {
    for (std::uint64_t const given : {std::uint64_t{1} << 20, std::uint64_t{1} << 36}) {
        auto const keys = layout_of_keys(KeyType::u64, Direction::ascending);
        auto const memory = divide_memory(keys, given).value();
        std::uint64_t const usable = given - memory.reserve_bytes;
        // Sorting: three ranges and the sort's scratch space. Partitioning: three blocks, and two
        // buffers per range.
        EXPECT_LE(4 * memory.records_max * keys.record_bytes, usable);
        EXPECT_LE(3 * memory.block_bytes +
                      2 * memory.ranges_max * memory.buffer_bytes(keys, memory.ranges_max),
                  usable);
    }
}

} // namespace
} // namespace keyswap::model
