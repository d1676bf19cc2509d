#include "kernels/sorts/local/lone_choice.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

SortOptions options_of(KeyType type, ValueType values) {
    SortOptions options;
    options.key_type = type;
    options.value_type = values;
    return options;
}

TEST(LoneChoice, MeasuredRowsAreWhatFastDoesByItself) {
    EXPECT_EQ(SortOptions{}.lone_rows, LoneRows::measured);
    auto const u64 = lone_row_of(options_of(KeyType::f64, ValueType::none));
    ASSERT_TRUE(u64.has_value());
    EXPECT_FALSE(u64->counting);
    EXPECT_EQ(u64->even, LoneDivision::digits);
    EXPECT_EQ(u64->crowded, LoneDivision::none);
    EXPECT_EQ(u64->leaves, LeafMethod::merge);
    auto const u32 = lone_row_of(options_of(KeyType::i32, ValueType::none));
    ASSERT_TRUE(u32.has_value());
    EXPECT_TRUE(u32->counting);
    EXPECT_EQ(u32->even, LoneDivision::none); // CUB where counting does not pay
    for (ValueType const values : {ValueType::bits32, ValueType::bits64}) {
        EXPECT_FALSE(lone_row_of(options_of(KeyType::u32, values)).has_value());
        EXPECT_FALSE(lone_row_of(options_of(KeyType::u64, values)).has_value());
    }
}

TEST(LoneChoice, EveryShapeHasARowOfBothTables) {
    for (LoneRows const rows : {LoneRows::measured, LoneRows::candidates}) {
        for (int const key_bytes : {4, 8}) {
            for (int const value_bytes : {0, 4, 8}) {
                LoneRow const& row = lone_row(key_bytes, value_bytes, rows);
                EXPECT_EQ(row.key_bytes, key_bytes);
                EXPECT_EQ(row.value_bytes, value_bytes);
                // Counting is of 32-bit keys whose order nobody sees.
                EXPECT_TRUE(!row.counting || (key_bytes == 4 && value_bytes == 0));
                // A GPU has the memory of digits wherever it has that of splitters.
                EXPECT_TRUE(row.crowded != LoneDivision::splitters ||
                            row.even == LoneDivision::digits);
            }
        }
    }
}

TEST(LoneChoice, LeavesPairsWhoseOrderIsAskedForToCub) {
    SortOptions options = options_of(KeyType::u64, ValueType::bits64);
    options.lone_rows = LoneRows::candidates;
    EXPECT_TRUE(lone_row_of(options).has_value());
    options.stability = Stability::stable;
    EXPECT_FALSE(lone_row_of(options).has_value());
    options.value_type = ValueType::none; // nobody sees it
    EXPECT_TRUE(lone_row_of(options).has_value());
}

TEST(LoneChoice, LevelsEndInLeavesOfAThirdToTwoThirds) {
    std::uint32_t const leaf = 4096;
    for (std::uint64_t count = leaf + 1; count < (std::uint64_t{1} << 32); count += count / 7) {
        double left = static_cast<double>(count);
        int levels = 0;
        for (; left > leaf; ++levels) {
            int const bits = bits_of_level(static_cast<std::uint64_t>(left), leaf);
            ASSERT_GE(bits, 1) << count;
            ASSERT_LE(bits, lone_digit_bits_max) << count;
            left /= static_cast<double>(1U << bits);
        }
        EXPECT_GT(left, 0.32 * leaf) << count;
        EXPECT_LT(left, 0.68 * leaf) << count;
        EXPECT_LE(levels, 3) << count;
    }
}

} // namespace
} // namespace keyswap::kernels
