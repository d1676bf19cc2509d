#include "kernels/local/digit_choice.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

SortOptions options_of(KeyType type, ValueType values) {
    SortOptions options;
    options.key_type = type;
    options.value_type = values;
    return options;
}

TEST(DigitChoice, DividesEveryShapeThatWasMeasuredToBeFasterThanCub) {
    for (KeyType const type : {KeyType::u64, KeyType::i64, KeyType::f64}) {
        for (ValueType const values : {ValueType::none, ValueType::bits32, ValueType::bits64}) {
            auto const row = digit_row_of(options_of(type, values));
            ASSERT_TRUE(row.has_value());
            EXPECT_EQ(row->key_bytes, 8U);
            EXPECT_EQ(row->value_bytes, value_size_bytes(values));
            EXPECT_EQ(row->crowded, CrowdedSort::splitters);
        }
    }
    for (KeyType const type : {KeyType::u32, KeyType::i32, KeyType::f32}) {
        for (ValueType const values : {ValueType::none, ValueType::bits32, ValueType::bits64}) {
            auto const row = digit_row_of(options_of(type, values));
            ASSERT_TRUE(row.has_value());
            // Counting is of 32-bit keys whose order nobody sees.
            EXPECT_EQ(can_be_counted(*row), values == ValueType::none);
            EXPECT_EQ(row->crowded,
                      can_be_counted(*row) ? CrowdedSort::counting : CrowdedSort::cub);
            EXPECT_GT(row->least_keys, digit_row_of(options_of(KeyType::u64, values))->least_keys);
        }
    }
}

TEST(DigitChoice, OptionsSayFromHowManyKeysOn) {
    SortOptions options = options_of(KeyType::u64, ValueType::none);
    EXPECT_GT(digit_row_of(options)->least_keys, 0U);
    options.tuning.digits_min = 17;
    EXPECT_EQ(digit_row_of(options)->least_keys, 17U);
    EXPECT_EQ(digit_row_of(options)->least_counted_alone, 17U);
}

TEST(DigitChoice, LeavesCrowdedPairsWhoseOrderIsAskedForToCub) {
    SortOptions options = options_of(KeyType::u64, ValueType::bits64);
    EXPECT_EQ(digit_row_of(options)->crowded, CrowdedSort::splitters);
    options.stability = Stability::stable;
    EXPECT_EQ(digit_row_of(options)->crowded, CrowdedSort::cub);
    options.value_type = ValueType::none; // nobody sees it
    EXPECT_EQ(digit_row_of(options)->crowded, CrowdedSort::splitters);
}

} // namespace
} // namespace keyswap::kernels
