#include "model/check/cause.hpp"
#include "model/testing/planted_causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::model {
namespace {

using testing::check_of;
using testing::drawn_keys;
using testing::expect_named;
using testing::plants;
using testing::Random;
using testing::sorted;

TEST(CauseGuess, NamesACountOfEqualKeysOfFewBits) {
    std::vector<std::uint32_t> keys(70'000, 5);
    keys.insert(keys.end(), 1'000, 9);
    auto output = sorted(keys);
    std::fill_n(output.begin(), 65'536, 0);
    OutputCheck const check = check_of(keys, sorted(output));
    ASSERT_TRUE(check.guess);
    EXPECT_EQ(check.guess->cause, Cause::filled_block) << check.guess->sentence;
    keys.assign(70'000, 5);
    for (std::uint32_t i = 0; i < 70'000; ++i) {
        keys.push_back(i * 60'013);
    }
    output = sorted(keys);
    auto const five = std::ranges::find(output, 5U) - output.begin();
    std::copy_n(output.end() - 65'536, 65'536, output.begin() + five); // duplicates of other keys
    OutputCheck const wrapped = check_of(keys, sorted(output));
    ASSERT_TRUE(wrapped.guess);
    EXPECT_EQ(wrapped.guess->cause, Cause::wrapped_count) << wrapped.guess->sentence;
}

TEST(CauseGuess, TakesNoValueThatWasDoubledForAFilledBlock) {
    // Half of the keys are zeros; the output has twice as many, in their sorted position.
    std::vector<std::uint32_t> keys(1'000, 0);
    for (std::uint32_t i = 0; i < 3'000; ++i) {
        keys.push_back(1 + i * 1'299'709);
    }
    auto output = sorted(keys);
    std::fill_n(output.begin() + 1'000, 1'000, 0);
    OutputCheck const check = check_of(keys, output);
    ASSERT_TRUE(check.guess);
    EXPECT_EQ(check.guess->cause, Cause::doubled_keys) << check.guess->sentence;
    // A small surplus gives no guess.
    output = sorted(keys);
    std::fill_n(output.begin() + 1'000, 300, 0);
    OutputCheck const some = check_of(keys, output);
    EXPECT_FALSE(some.guess) << some.guess->sentence;
}

TEST(CauseGuess, NamesKeysThatWereWrittenOverOthers) {
    expect_named<std::uint64_t>(
        Cause::doubled_keys,
        [](Random&, auto const& keys) {
            auto output = sorted(keys);
            for (std::size_t i = 10; i < output.size(); i += output.size() / 40) {
                auto const other = std::ranges::upper_bound(output, output[i]) - output.begin();
                if (std::size_t(other) < output.size()) {
                    output[i] = output[std::size_t(other)];
                }
            }
            return sorted(output);
        },
        "are keys of the input");
}

TEST(CauseGuess, NamesTheEndOfTheInputThatIsMissingOrThereTwice) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto const input = drawn_keys<std::uint32_t>(random);
        auto const tile = std::ptrdiff_t(1 + random() % 60);
        std::vector<std::uint32_t> less(input.begin(), input.end() - tile);
        OutputCheck const missing = check_of(input, sorted(less));
        ASSERT_TRUE(missing.guess);
        EXPECT_EQ(missing.guess->cause, Cause::missing_keys);
        EXPECT_NE(missing.guess->sentence.find("the last "), std::string::npos);
        EXPECT_NE(missing.guess->sentence.find("missing"), std::string::npos);
        auto more = input;
        more.insert(more.end(), input.begin(), input.begin() + tile);
        OutputCheck const doubled = check_of(input, sorted(more));
        ASSERT_TRUE(doubled.guess);
        EXPECT_NE(doubled.guess->sentence.find("the first "), std::string::npos);
        EXPECT_NE(doubled.guess->sentence.find("duplicated"), std::string::npos);
    }
    // If all keys are equal, the missing ones cannot be identified.
    std::vector<std::uint32_t> const alike(100, 7);
    EXPECT_FALSE(check_of(alike, std::vector<std::uint32_t>(90, 7)).guess);
}

} // namespace
} // namespace keyswap::model
