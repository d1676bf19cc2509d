#include "model/check/cause.hpp"
#include "model/testing/planted_causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace keyswap::model {
namespace {

using testing::check_of;
using testing::drawn_keys;
using testing::expect_named;
using testing::plants;
using testing::Random;
using testing::sorted;

TEST(CauseGuess, NamesAKeyThatWasLeftOut) {
    expect_named<std::uint32_t>(
        Cause::unsorted_end_key,
        [](Random&, auto keys) {
            if (keys.back() == std::ranges::max(keys)) {
                std::swap(keys.front(), keys.back());
            }
            std::sort(keys.begin(), keys.end() - 1);
            return keys;
        },
        "except the last");
    expect_named<double>(
        Cause::unsorted_end_key,
        [](Random&, auto keys) {
            std::sort(keys.begin() + 1, keys.end());
            return keys;
        },
        "except the first");
}

TEST(CauseGuess, NamesBlocksThatWereNotMerged) {
    auto const in_blocks = [](std::size_t block) {
        return [block](Random&, auto keys) {
            for (std::size_t begin = 0; begin < keys.size(); begin += block) {
                std::sort(keys.begin() + std::ptrdiff_t(begin),
                          keys.begin() + std::ptrdiff_t(std::min(begin + block, keys.size())));
            }
            return keys;
        };
    };
    expect_named<std::uint32_t>(Cause::unmerged_chunks, in_blocks(192));
    expect_named<std::int64_t>(Cause::unmerged_chunks, in_blocks(128));
}

TEST(CauseGuess, NamesATileThatWasNotMerged) {
    expect_named<float>(Cause::unmerged_chunks, [](Random& random, auto keys) {
        auto const tile = std::ptrdiff_t(16 + random() % 100);
        std::sort(keys.begin(), keys.end() - tile);
        std::sort(keys.end() - tile, keys.end());
        return keys;
    });
}

TEST(CauseGuess, NamesEqualKeysThatStandAcrossASplitter) {
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto keys = drawn_keys<std::uint32_t>(random);
        std::uint32_t const splitter = sorted(keys)[keys.size() / 2];
        std::fill_n(keys.begin(), 20, splitter);
        auto output = sorted(keys);
        // Swap the last keys equal to it with as many larger keys.
        auto const end = std::ranges::upper_bound(output, splitter);
        auto const moved = std::ptrdiff_t(1 + random() % 10);
        std::swap_ranges(end - moved, end, end);
        OutputCheck const check = check_of(keys, output);
        ASSERT_TRUE(check.guess) << seed;
        EXPECT_EQ(check.guess->cause, Cause::split_ties) << check.guess->sentence;
    }
}

} // namespace
} // namespace keyswap::model
