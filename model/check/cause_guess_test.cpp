#include "model/check/cause.hpp"

#include "model/testing/planted_causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model {
namespace {

using testing::check_of;
using testing::drawn_keys;
using testing::plants;
using testing::Random;
using testing::sorted;

/// 16 keys; fewer can fit any hypothesis by chance.
TEST(CauseGuess, NeedsEnoughKeys) {
    auto const mixed = [](std::size_t count) {
        std::vector<std::uint32_t> keys(count);
        for (std::size_t i = 0; i < count; ++i) {
            keys[i] = static_cast<std::uint32_t>(i * 7 % count + 1) * 0x01010101U;
        }
        return keys;
    };
    using Mixed = std::vector<std::uint32_t>;
    for (auto const& [cause, change] : std::vector<std::pair<Cause, std::function<Mixed(Mixed)>>>{
             {Cause::untouched, [](Mixed keys) { return keys; }},
             {Cause::other_order,
              [](Mixed keys) {
                  std::ranges::sort(
                      keys, {}, [](std::uint32_t key) { return static_cast<std::int32_t>(key); });
                  return keys;
              }},
             {Cause::filled_block,
              [](Mixed keys) {
                  std::ranges::fill(keys, 0xabababU);
                  return keys;
              }},
             {Cause::changed_bits, [](Mixed keys) {
                  std::ranges::transform(
                      keys, keys.begin(), [](std::uint32_t key) { return key ^ 0x1000U; });
                  return sorted(keys);
              }}}) {
        for (std::size_t const count : {15U, 16U, 17U}) {
            Mixed input = mixed(count);
            if (cause == Cause::other_order) {
                input[3] |= 0x80000000U;
                input[9] |= 0x80000000U;
            }
            OutputCheck const check = check_of(input, change(input));
            EXPECT_FALSE(check.holds());
            EXPECT_EQ(check.guess && check.guess->cause == cause, count >= 16)
                << to_string(cause) << ' ' << count << ' '
                << (check.guess ? check.guess->sentence : "none");
        }
    }
}

/// A range that equals the input and is in order may be correct.
TEST(CauseGuess, SaysNothingOfAStretchThatWasInOrderAlready) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto input = sorted(drawn_keys<std::uint32_t>(random));
        auto output = input;
        auto const half = std::ptrdiff_t(input.size() / 2);
        std::shuffle(input.begin() + half, input.end(), random);
        std::shuffle(output.begin() + half, output.end(), random);
        OutputCheck const check = check_of(input, output);
        EXPECT_FALSE(check.holds());
        EXPECT_FALSE(check.guess) << seed << ": " << check.guess->sentence;
    }
}

TEST(CauseGuess, GuessesOnlyCausesThatExplainEveryKey) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        auto const input = drawn_keys<std::int32_t>(random);
        auto output = sorted(input);
        std::size_t const place = random() % (output.size() - 1);
        switch (seed % 5) {
        case 0:
            output.erase(output.begin() + std::ptrdiff_t(place));
            break;
        case 1:
            output[place] ^= 1 << (random() % 32);
            break;
        case 2:
            std::swap(output[place], output[random() % output.size()]);
            break;
        case 3:
            std::shuffle(output.begin() + std::ptrdiff_t(place), output.end(), random);
            break;
        default:
            output[place] = output[place + 1];
        }
        OutputCheck const check = check_of(input, output);
        EXPECT_FALSE(check.guess) << seed << ": " << check.guess->sentence;
    }
}

/// With chunks of one key, any order consists of sorted chunks in the wrong order.
TEST(CauseGuess, SaysNothingOfFewKeysInAnyOrder) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        auto input = drawn_keys<std::uint32_t>(random);
        input.resize(64 + random() % 137);
        auto output = sorted(input);
        auto const place = std::ptrdiff_t(random() % (output.size() / 2));
        std::shuffle(output.begin() + place, output.end(), random);
        OutputCheck const check = check_of(input, output);
        EXPECT_FALSE(check.guess) << seed << ": " << check.guess->sentence;
    }
}

TEST(CauseGuess, SaysNothingOfARightOutputOrOneThatIsReversed) {
    Random random(1);
    auto const input = drawn_keys<std::uint32_t>(random);
    auto output = sorted(input);
    EXPECT_FALSE(check_of(input, output).guess);
    std::ranges::reverse(output);
    EXPECT_FALSE(check_of(input, output).guess);
}

} // namespace
} // namespace keyswap::model
