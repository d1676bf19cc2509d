#include "kernels/cpu/step_digits.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

using Digits = std::vector<DigitBuckets>;

TEST(StepDigits, ReadEveryBitOnceFromTheLowestOn) {
    EXPECT_EQ(step_digits(32, 8, 0), (Digits{{0, 8}, {8, 8}, {16, 8}, {24, 8}}));
    EXPECT_EQ(step_digits(32, 12, 0), (Digits{{0, 12}, {12, 12}, {24, 8}}))
        << "what is left is the last";
    EXPECT_EQ(step_digits(64, 4, 0).size(), 16U);
}

TEST(StepDigits, OfKnightsFerryEndWithAWiderOne) {
    EXPECT_EQ(step_digits(32, 6, 8), (Digits{{0, 6}, {6, 6}, {12, 6}, {18, 6}, {24, 8}}));
    EXPECT_EQ(step_digits(32, 7, 8), (Digits{{0, 7}, {7, 7}, {14, 7}, {21, 3}, {24, 8}}))
        << "what is left comes before the last";
    EXPECT_EQ(step_digits(32, 8, 8), step_digits(32, 8, 0));
}

} // namespace
} // namespace keyswap::kernels
