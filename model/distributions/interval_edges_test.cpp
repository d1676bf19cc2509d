#include "model/distributions/interval_edges.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace keyswap::model {
namespace {

KeyGenerator uniform_keys(std::string const& distribution, std::uint64_t count) {
    return KeyGenerator::make({distribution, {}, KeyType::u32, count, 1}).value();
}

/// Intervals of the 256 digits of each bucket.
IntervalEdges digit_edges(KeyGenerator const& generator,
                          std::span<BucketPrefix const> buckets,
                          Direction direction = Direction::ascending) {
    auto const refined = refined_by_digit(DigitLayout(32, 8), buckets);
    return {generator, counted_intervals(refined, 256), direction};
}

/// Fractions of 2^64 between adjacent edges, for every digit, in units of 2^24.
std::vector<std::uint64_t> shares(IntervalEdges const& edges, std::size_t buckets) {
    std::vector<std::uint64_t> counters(buckets * 256, 0);
    edges.add_differences(edges.reach(0, two_to_64), counters, [&](std::size_t index) {
        return static_cast<std::uint64_t>(edges.edge(index).fractions >> 24);
    });
    return counters;
}

TEST(IntervalEdges, DigitsOfUniformKeysHaveEqualShares) {
    std::array<BucketPrefix, 1> const whole{};
    IntervalEdges const edges = digit_edges(uniform_keys("uniform", 1000), whole);
    // 2^64 / 256, in units of 2^24.
    EXPECT_EQ(shares(edges, 1), std::vector<std::uint64_t>(256, 1ULL << 32));
}

TEST(IntervalEdges, KeysBetweenTwoBucketsBelongToNeither) {
    std::array<BucketPrefix, 2> const buckets{{{1, 2}, {1, 9}}};
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        IntervalEdges const edges = digit_edges(uniform_keys("uniform", 1000), buckets, direction);
        EXPECT_EQ(shares(edges, 2), std::vector<std::uint64_t>(512, 1ULL << 24));
    }
}

TEST(IntervalEdges, RanksBelowAnEdgeAreThoseOfSortedKeys) {
    std::array<BucketPrefix, 1> const whole{};
    auto const generator = uniform_keys("sorted", 1000);
    IntervalEdges const edges = digit_edges(generator, whole);
    std::vector<std::uint64_t> counted(256, 0);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        ++counted[static_cast<std::size_t>(generator.image(i) >> 24)];
    }
    std::vector<std::uint64_t> counters(256, 0);
    edges.add_differences(edges.reach(0, two_to_64), counters, [&](std::size_t index) {
        return edges.edge(index).ranks;
    });
    EXPECT_EQ(counters, counted);
}

TEST(IntervalEdges, OnlyEdgesThatAWindowReachesAreAsked) {
    std::array<BucketPrefix, 1> const whole{};
    IntervalEdges const edges = digit_edges(uniform_keys("uniform", 1000), whole);
    int asked = 0;
    std::vector<std::uint64_t> counters(256, 0);
    uint128 const low = two_to_64 / 2;
    edges.add_differences(edges.reach(low, low + 1), counters, [&](std::size_t index) {
        ++asked;
        return edges.edge(index).fractions > low ? std::uint64_t{1} : std::uint64_t{0};
    });
    EXPECT_EQ(counters[128], 1U);
    EXPECT_LE(asked, 3);
}

TEST(IntervalEdges, AnImageIsFoundInItsBucketAloneAndMirroredWhereTheSortDescends) {
    std::array<BucketPrefix, 2> const buckets{{{1, 2}, {1, 9}}};
    auto const generator = uniform_keys("uniform", 1000);
    IntervalEdges const ascending = digit_edges(generator, buckets);
    EXPECT_EQ(ascending.slot_of(0x02050000), 5U);
    EXPECT_EQ(ascending.slot_of(0x09ff0000), 256U + 255U);
    EXPECT_EQ(ascending.slot_of(0x03050000), std::nullopt);
    // Complemented, bucket 9 contains the images 0xf6......, which come first in ascending order.
    IntervalEdges const descending = digit_edges(generator, buckets, Direction::descending);
    EXPECT_EQ(descending.slot_of(0xf6050000), 256U + 250U);
    EXPECT_EQ(descending.slot_of(0xfd050000), 250U);
    EXPECT_EQ(descending.slot_of(0x02050000), std::nullopt);
}

} // namespace
} // namespace keyswap::model
