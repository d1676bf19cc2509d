#include "model/distributions/counter_generator.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace keyswap::model {
namespace {

// Known answers published by the generator's authors (Random123, kat_vectors).
TEST(CounterGenerator, PhiloxGivesThePublishedAnswers) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
              (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
              (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(CounterGenerator, AnyRangeEqualsItsWordsOneByOne) {
    CounterGenerator const generator(0x123456789abcdef0ULL);
    // Around 2^32 words the block index fits into 32 bits; around 2^34 it exceeds them.
    for (std::uint64_t const first : {0ULL, 1ULL, 3ULL, (1ULL << 34) - 50, (1ULL << 62) + 3}) {
        for (std::size_t const size : {0U, 1U, 2U, 3U, 4U, 5U, 17U, 33U, 150U}) {
            std::vector<std::uint32_t> narrow(size);
            std::vector<std::uint64_t> wide(size);
            generator.fill(first, std::span(narrow));
            generator.fill(first, std::span(wide));
            for (std::size_t i = 0; i < size; ++i) {
                ASSERT_EQ(narrow[i], generator.word32(first + i));
                ASSERT_EQ(wide[i], generator.word64(first + i));
            }
        }
    }
}

TEST(CounterGenerator, TwoWordsMakeOneLowerFirst) {
    CounterGenerator const generator(5);
    EXPECT_EQ(generator.word64(7),
              generator.word32(14) | std::uint64_t{generator.word32(15)} << 32);
}

TEST(CounterGenerator, SeedsAndStreamsDiffer) {
    EXPECT_NE(CounterGenerator(1).word64(0), CounterGenerator(2).word64(0));
    EXPECT_NE(CounterGenerator(1).word64(0), CounterGenerator(1ULL + (1ULL << 32)).word64(0));
    EXPECT_NE(CounterGenerator(1, 0).word64(0), CounterGenerator(1, 1).word64(0));
}

} // namespace
} // namespace keyswap::model
