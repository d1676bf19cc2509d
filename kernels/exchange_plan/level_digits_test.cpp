#include "kernels/exchange_plan/level_digits.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

/// Leaves may be more than two thirds full if that saves a level.
TEST(LevelDigits, LevelsEndInLeavesOfAThirdToTwoThirdsOrOfWhatFitsOneLevelLess) {
    std::uint32_t const leaf = 4096;
    for (std::uint64_t count = leaf + 1; count < (std::uint64_t{1} << 32); count += count / 7) {
        double left = static_cast<double>(count);
        int const wanted = levels_to_leaves(count, leaf);
        int levels = 0;
        for (; left > leaf; ++levels) {
            int const bits = bits_of_level(static_cast<std::uint64_t>(left), leaf);
            ASSERT_GE(bits, 1) << count;
            ASSERT_LE(bits, level_digit_bits_max) << count;
            left /= static_cast<double>(1U << bits);
        }
        EXPECT_GT(left, 0.32 * leaf) << count;
        EXPECT_LE(left + 4 * std::sqrt(left), leaf) << count;
        EXPECT_EQ(levels, wanted) << count;
        if (left > 0.68 * leaf) {
            EXPECT_NEAR(left, std::ldexp(static_cast<double>(count), -9 * levels), 0.01 * leaf);
        }
    }
}

TEST(LevelDigits, ChildrenWithTwiceTheKeysOfOthersNeedNoFurtherLevel) {
    std::uint32_t const leaf = 3840;
    std::uint64_t const count = std::uint64_t{1} << 28; // two levels of 17 bits
    std::uint64_t const child = 2 * (count >> bits_of_level(count, leaf));
    EXPECT_EQ(levels_to_leaves(count, leaf), 2);
    EXPECT_EQ(levels_to_leaves(child, leaf), 1);
}

TEST(LevelDigits, OneLevelDividesAsManyKeysAsItSays) {
    for (std::uint32_t const leaf : {512U, 4096U, 8192U, 16384U}) {
        std::uint64_t const most = keys_of_one_level(leaf);
        EXPECT_EQ(levels_to_leaves(most - 1, leaf), 1) << leaf;
        EXPECT_EQ(levels_to_leaves(most + 1024, leaf), 2) << leaf;
    }
}

} // namespace
} // namespace keyswap::kernels
