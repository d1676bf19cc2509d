#include "model/distributions/quantile_table.hpp"

#include "model/distributions/counter_generator.hpp"
#include "model/distributions/value_domain.hpp"

#include <gtest/gtest.h>

#include <array>

namespace keyswap::model {
namespace {

constexpr uint128 half = two_to_64 / 2;

/// A gap, a single value, more fractions than images, and more images than fractions.
QuantileTable telling_table() {
    std::array<QuantileCell, 4> const cells{{{10, 12, 0, half},
                                             {20, 20, half, half + 7},
                                             {30, 30 + (1ULL << 40), half + 7, half + 1007},
                                             {1ULL << 50, 1ULL << 63, half + 1007, two_to_64}}};
    return QuantileTable(cells);
}

TEST(QuantileTable, FractionsBelowAnImageAreThoseWhoseImageIsBelow) {
    QuantileTable const table = telling_table();
    CounterGenerator const generator(11);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        std::uint64_t const u =
            i % 2 == 0 ? generator.word64(i) : static_cast<std::uint64_t>(half) - 10 + i % 1100;
        std::uint64_t const image = table.image_at(u);
        ASSERT_LE(table.fractions_below(image), u);
        ASSERT_GT(table.fractions_up_to(image), u);
    }
}

TEST(QuantileTable, EveryImageOfACellBeginsExactlyWhereFractionsBelowSays) {
    QuantileTable const table = telling_table();
    for (std::uint64_t const image : {10ULL, 11ULL, 12ULL, 20ULL, 30ULL}) {
        auto const u = static_cast<std::uint64_t>(table.fractions_below(image));
        EXPECT_EQ(table.image_at(u), image);
        if (u > 0) {
            EXPECT_LT(table.image_at(u - 1), image);
        }
    }
    EXPECT_EQ(table.fractions_below(15), half);
    EXPECT_EQ(table.fractions_below(0), 0U);
    EXPECT_EQ(table.fractions_up_to(~std::uint64_t{0}), two_to_64);
}

TEST(QuantileTable, TheWholeRangeOf64BitsIsItself) {
    std::array<QuantileCell, 1> const all{{{0, ~std::uint64_t{0}, 0, two_to_64}}};
    QuantileTable const table(all);
    for (std::uint64_t const u : {0ULL, 1ULL, 12345678901234567ULL, ~0ULL}) {
        EXPECT_EQ(table.image_at(u), u);
        EXPECT_EQ(table.fractions_below(u), u);
    }
}

TEST(QuantileTable, ACellWithoutAShareIsNeverDrawn) {
    std::array<QuantileCell, 3> const cells{
        {{1, 1, 0, half}, {2, 2, half, half}, {3, 3, half, two_to_64}}};
    QuantileTable const table(cells);
    EXPECT_EQ(table.image_at(static_cast<std::uint64_t>(half)), 3U);
    EXPECT_EQ(table.cells().size(), 2U);
}

TEST(QuantileTable, JoinsPointsOfOneImage) {
    std::array<WeightedImage, 4> const points{{{3, 1}, {5, 2}, {5, 3}, {9, 2}}};
    QuantileTable const table = table_of_points(points);
    ASSERT_EQ(table.cells().size(), 3U);
    EXPECT_EQ(table.fractions_below(5), half / 4);
    EXPECT_EQ(table.fractions_up_to(5), half / 4 * 6); // 1 / 8 and 5 / 8
    EXPECT_EQ(table.image_at(static_cast<std::uint64_t>(half / 4 * 6 - 1)), 5U);
    EXPECT_EQ(table.image_at(static_cast<std::uint64_t>(half / 4 * 6)), 9U);
}

TEST(QuantileTableDeathTest, ATableThatLeavesFractionsOutIsRefused) {
    std::array<QuantileCell, 1> const cells{{{1, 1, 0, half}}};
    EXPECT_DEATH(QuantileTable{cells}, "precondition");
}

} // namespace
} // namespace keyswap::model
