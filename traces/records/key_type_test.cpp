#include "traces/records/key_type.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap {
namespace {

TEST(KeyTypes, SurviveTheirNamesAndHaveTheirSizes) {
    for (KeyType const type : {KeyType::u32, KeyType::i32, KeyType::f32}) {
        EXPECT_EQ(parse_key_type(to_string(type)).value(), type);
        EXPECT_EQ(key_size_bytes(type), 4U);
        EXPECT_EQ(key_bits(type), 32);
    }
    for (KeyType const type : {KeyType::u64, KeyType::i64, KeyType::f64}) {
        EXPECT_EQ(parse_key_type(to_string(type)).value(), type);
        EXPECT_EQ(key_size_bytes(type), 8U);
        EXPECT_EQ(key_bits(type), 64);
    }
    for (KeyType const type : {KeyType::u128, KeyType::i128, KeyType::b128}) {
        EXPECT_EQ(parse_key_type(to_string(type)).value(), type);
        EXPECT_EQ(key_size_bytes(type), 16U);
        EXPECT_EQ(key_bits(type), 128);
    }
    for (KeyType const type : every_key_type) {
        EXPECT_EQ(std::ranges::count(narrow_key_types, type), key_bits(type) <= 64 ? 1 : 0);
    }
}

TEST(KeyTypes, AreReadByEveryNameOfTheirRow) {
    for (KeyTraits const& row : key_traits) {
        EXPECT_EQ(parse_key_type(row.published_name).value(), row.type);
        EXPECT_EQ(row.c_name.empty() ? row.type : parse_key_type(row.c_name).value(), row.type);
        EXPECT_EQ(kind_of(key_type_with(row.kind, row.size_bytes)), row.kind);
    }
    EXPECT_FALSE(parse_key_type(""));
    EXPECT_EQ(key_type_list(narrow_key_types, " or "), "u32, u64, i32, i64, f32 or f64");
}

TEST(ValueTypes, SurviveTheirNamesAndHaveTheirSizes) {
    for (ValueType const type : {ValueType::none, ValueType::bits32, ValueType::bits64}) {
        EXPECT_EQ(parse_value_type(to_string(type)).value(), type);
    }
    EXPECT_EQ(value_size_bytes(ValueType::none), 0U);
    EXPECT_EQ(value_size_bytes(ValueType::bits32), 4U);
    EXPECT_EQ(value_size_bytes(ValueType::bits64), 8U);
}

TEST(KeyTypes, UnknownNamesAreRefusedWithTheKnownOnes) {
    auto const type = parse_key_type("u16");
    ASSERT_FALSE(type);
    EXPECT_NE(type.error().message().find("'u16'"), std::string::npos);
    EXPECT_NE(type.error().message().find("f64"), std::string::npos);
    EXPECT_FALSE(parse_direction("up"));
}

} // namespace
} // namespace keyswap
