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
using testing::expect_named;
using testing::Random;
using testing::sorted;

TEST(CauseGuess, NamesAnOutputThatIsTheInput) {
    expect_named<std::uint64_t>(Cause::untouched, [](Random&, auto const& keys) { return keys; });
}

/// A random start for a block of a tenth of the keys.
std::size_t drawn_block(Random& random, std::size_t count) {
    return random() % (count - count / 10);
}

TEST(CauseGuess, NamesABlockThatIsStillTheInput) {
    expect_named<std::uint32_t>(
        Cause::stale_block,
        [](Random& random, auto const& keys) {
            auto wrong = sorted(keys);
            auto const begin = std::ptrdiff_t(drawn_block(random, keys.size()));
            std::copy_n(
                keys.begin() + begin, std::ptrdiff_t(keys.size() / 10), wrong.begin() + begin);
            return wrong;
        },
        "are as in the input");
}

TEST(CauseGuess, NamesABlockThatWasZeroedOrFilled) {
    expect_named<std::int64_t>(
        Cause::filled_block,
        [](Random& random, auto const& keys) {
            auto wrong = sorted(keys);
            auto const begin = std::ptrdiff_t(drawn_block(random, keys.size()));
            std::fill_n(wrong.begin() + begin, std::ptrdiff_t(keys.size() / 10), 0);
            return wrong;
        },
        "are 0, as if a block had been zeroed");
    expect_named<std::uint32_t>(
        Cause::filled_block,
        [](Random& random, auto const& keys) {
            auto wrong = sorted(keys);
            auto const begin = std::ptrdiff_t(drawn_block(random, keys.size()));
            std::fill_n(wrong.begin() + begin, std::ptrdiff_t(keys.size() / 10), 0xcdcdcdcdU);
            return wrong;
        },
        "are 3452816845, as if a block had been filled");
}

/// Sorts only the first `count` keys.
template <class T>
std::vector<T> sorted_to(std::vector<T> keys, std::size_t count) {
    std::sort(keys.begin(), keys.begin() + std::ptrdiff_t(count));
    return keys;
}

TEST(CauseGuess, NamesACountOfFewBits) {
    for (std::size_t const count : {65'560U, 65'736U, 131'172U, 100'000U}) {
        Random random(count);
        std::vector<std::uint32_t> keys(count);
        std::ranges::generate(keys, [&] { return static_cast<std::uint32_t>(random()); });
        OutputCheck const check = check_of(keys, sorted_to(keys, count % 65'536));
        ASSERT_TRUE(check.guess) << count;
        EXPECT_EQ(check.guess->cause, Cause::wrapped_count) << check.guess->sentence;
        EXPECT_NE(check.guess->sentence.find("stored in 16 bits"), std::string::npos);
    }
    std::vector<std::uint64_t> keys(65'536);
    std::ranges::generate(keys, Random(7));
    OutputCheck const check = check_of(keys, keys);
    ASSERT_TRUE(check.guess);
    EXPECT_EQ(check.guess->cause, Cause::untouched);
    EXPECT_NE(check.guess->sentence.find("stored in 16 bits"), std::string::npos);
}

} // namespace
} // namespace keyswap::model
