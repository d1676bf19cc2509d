#include "kernels/exchange_plan/digit_rows.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

std::optional<DigitRow> row_of(ElementShape shape, Stability ties = Stability::unstable) {
    return find_digit_row(shape, ties);
}

TEST(DigitRows, DivideEveryShapeThatWasMeasuredToBeFasterThanCub) {
    for (int const values : {0, 4, 8}) {
        auto const wide = row_of({8, values});
        auto const narrow = row_of({4, values});
        ASSERT_TRUE(wide && narrow);
        EXPECT_EQ(wide->shape, (ElementShape{8, values}));
        EXPECT_EQ(wide->crowded, CrowdedSort::splitters);
        // Counting requires 32-bit keys whose order is unobservable.
        EXPECT_EQ(narrow->crowded, values == 0 ? CrowdedSort::counting : CrowdedSort::cub);
        EXPECT_GT(narrow->least_keys, wide->least_keys);
    }
    EXPECT_FALSE(row_of({16, 0}));
}

TEST(DigitRows, ACallerSaysFromHowManyKeysOn) {
    EXPECT_GT(row_of({8, 0})->least_keys, 0U);
    auto const row = find_digit_row({8, 0}, Stability::unstable, 17);
    EXPECT_EQ(row->least_keys, 17U);
}

TEST(DigitRows, LeaveCrowdedPairsWhoseOrderIsAskedForToCub) {
    EXPECT_EQ(row_of({8, 8})->crowded, CrowdedSort::splitters);
    EXPECT_EQ(row_of({8, 8}, Stability::stable)->crowded, CrowdedSort::cub);
}

} // namespace
} // namespace keyswap::kernels
