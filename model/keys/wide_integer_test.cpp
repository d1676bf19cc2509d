#include "model/keys/wide_integer.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

TEST(WideInteger, UpperHalvesOfProductsAreThoseOfLongMultiplication) {
    // (2^64 - 1)^2 = 2^128 - 2^65 + 1.
    EXPECT_EQ(multiply_high(ones, ones), ones - 1);
    EXPECT_EQ(multiply_high(1ULL << 63, 2), 1U);
    EXPECT_EQ(multiply_high(ones, 1), 0U);
    // Schoolbook by halves: (a 2^32 + b)(c 2^32 + d).
    std::uint64_t const a = 0x89abcdef;
    std::uint64_t const b = 0x01234567;
    std::uint64_t const c = 0xfedcba98;
    std::uint64_t const d = 0x76543210;
    std::uint64_t const middle = a * d + (b * d >> 32);
    std::uint64_t const carry = ((middle & 0xffffffff) + b * c) >> 32;
    EXPECT_EQ(multiply_high(a << 32 | b, c << 32 | d), a * c + (middle >> 32) + carry);
}

TEST(WideInteger, AStepOfTwoToThe64IsTheIdentity) {
    for (std::uint64_t const word : {std::uint64_t{0}, std::uint64_t{12345}, ones}) {
        EXPECT_EQ(multiply_wide(word, two_to_64), word);
    }
}

TEST(WideInteger, AStepWithAFractionIsRoundedDown) {
    // 3.5 x 5 = 17.5
    EXPECT_EQ(multiply_wide(5, 7 * two_to_64 / 2), 17U);
    // The largest step: (2^128 - 1) / 2^64 is just below 2^64.
    EXPECT_EQ(multiply_wide(1, ~uint128{0}), ones);
}

} // namespace
} // namespace keyswap::model
