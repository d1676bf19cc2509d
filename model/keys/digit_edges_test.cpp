#include "model/keys/digit_edges.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace keyswap::model {
namespace {

KeyGenerator uniform_keys(std::string const& distribution, std::uint64_t count) {
    return KeyGenerator::make({distribution, {}, KeyType::u32, count, 1}).value();
}

/// Fractions of 2^64 between the edges of every digit.
std::vector<std::uint64_t> shares(DigitEdges const& edges, std::size_t buckets) {
    std::vector<std::uint64_t> counters(buckets * edges.digit_count(), 0);
    edges.add_differences(edges.reach(0, two_to_64), counters, [&](std::size_t index) {
        return static_cast<std::uint64_t>(edges.edge(index).fractions >> 24);
    });
    return counters;
}

TEST(DigitEdges, DigitsOfUniformKeysHaveEqualShares) {
    DigitLayout const layout(32, 8);
    std::array<BucketPrefix, 1> const whole{};
    DigitEdges const edges(uniform_keys("uniform", 1000), layout, whole, Direction::ascending);
    // 2^64 / 256, in units of 2^24.
    EXPECT_EQ(shares(edges, 1), std::vector<std::uint64_t>(256, 1ULL << 32));
}

TEST(DigitEdges, KeysBetweenTwoBucketsBelongToNeither) {
    DigitLayout const layout(32, 8);
    std::array<BucketPrefix, 2> const buckets{{{1, 2}, {1, 9}}};
    for (Direction const direction : {Direction::ascending, Direction::descending}) {
        DigitEdges const edges(uniform_keys("uniform", 1000), layout, buckets, direction);
        EXPECT_EQ(shares(edges, 2), std::vector<std::uint64_t>(512, 1ULL << 24));
    }
}

TEST(DigitEdges, RanksBelowAnEdgeAreThoseOfSortedKeys) {
    DigitLayout const layout(32, 8);
    std::array<BucketPrefix, 1> const whole{};
    auto const generator = uniform_keys("sorted", 1000);
    DigitEdges const edges(generator, layout, whole, Direction::ascending);
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

TEST(DigitEdges, OnlyEdgesThatAWindowReachesAreAsked) {
    DigitLayout const layout(32, 8);
    std::array<BucketPrefix, 1> const whole{};
    DigitEdges const edges(uniform_keys("uniform", 1000), layout, whole, Direction::ascending);
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

TEST(DigitEdges, AnImageIsFoundInItsBucketAloneAndMirroredWhereTheSortDescends) {
    DigitLayout const layout(32, 8);
    std::array<BucketPrefix, 2> const buckets{{{1, 2}, {1, 9}}};
    auto const generator = uniform_keys("uniform", 1000);
    DigitEdges const ascending(generator, layout, buckets, Direction::ascending);
    EXPECT_EQ(ascending.slot_of(0x02050000), 5U);
    EXPECT_EQ(ascending.slot_of(0x09ff0000), 256U + 255U);
    EXPECT_EQ(ascending.slot_of(0x03050000), std::nullopt);
    // Complemented, bucket 9 holds the images 0xf6......, which come first in ascending order.
    DigitEdges const descending(generator, layout, buckets, Direction::descending);
    EXPECT_EQ(descending.slot_of(0xf6050000), 5U);
    EXPECT_EQ(descending.slot_of(0xfd050000), 256U + 5U);
    EXPECT_EQ(descending.slot_of(0x02050000), std::nullopt);
}

} // namespace
} // namespace keyswap::model
