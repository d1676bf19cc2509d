#include "model/buckets/digit_layout.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

TEST(DigitLayout, PassOneReadsTheMostSignificantDigit) {
    DigitLayout const layout(32, 8);
    EXPECT_EQ(layout.pass_count(), 4);
    EXPECT_EQ(layout.digit(0x12345678, 1), 0x12U);
    EXPECT_EQ(layout.digit(0x12345678, 4), 0x78U);
    EXPECT_EQ(layout.bits_below(1), 24);
    EXPECT_EQ(layout.bits_below(4), 0);
}

TEST(DigitLayout, TheLastDigitMayBeNarrower) {
    DigitLayout const layout(32, 12); // 12, 12, 8
    EXPECT_EQ(layout.pass_count(), 3);
    EXPECT_EQ(layout.bits_of(3), 8);
    EXPECT_EQ(layout.digit_count(3), 256U);
    EXPECT_EQ(layout.digit(0x12345678, 1), 0x123U);
    EXPECT_EQ(layout.digit(0x12345678, 3), 0x78U);
    EXPECT_EQ(layout.child({2, 0x123456}, 0x78), (BucketPrefix{3, 0x12345678}));
}

TEST(DigitLayout, PrefixesHoldAllDigitsReadSoFar) {
    DigitLayout const layout(64, 16);
    EXPECT_EQ(layout.prefix(0x0123456789abcdef, 0), 0U);
    EXPECT_EQ(layout.prefix(0x0123456789abcdef, 2), 0x01234567U);
    EXPECT_EQ(layout.prefix(0x0123456789abcdef, 4), 0x0123456789abcdefU);
}

TEST(DigitLayout, ABucketHoldsTheImagesBetweenItsLowestAndHighest) {
    DigitLayout const layout(32, 8);
    EXPECT_EQ(layout.lowest_image({1, 0x12}), 0x12000000U);
    EXPECT_EQ(layout.highest_image({1, 0x12}), 0x12ffffffU);
    EXPECT_EQ(layout.highest_image({0, 0}), 0xffffffffU);
    EXPECT_EQ(layout.highest_image({4, 7}), 7U);
    EXPECT_EQ(DigitLayout(64, 8).highest_image({0, 0}), ~std::uint64_t{0});
}

} // namespace
} // namespace keyswap::model
