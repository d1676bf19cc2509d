#include "tools/record/failing_keys.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <numeric>

namespace keyswap::conformance {
namespace {

using Keys = std::vector<std::uint64_t>;

/// Distinct keys in pseudo-random order.
Keys scattered(std::size_t count) {
    Keys keys(count);
    std::iota(keys.begin(), keys.end(), std::uint64_t{0});
    for (std::uint64_t& key : keys) {
        key = key * 0x9e3779b97f4a7c15ULL;
    }
    return keys;
}

FailingKeys shrunk(Keys const& keys, std::function<bool(Keys const&)> const& fails) {
    EXPECT_TRUE(fails(keys));
    FailingKeys const smallest = smallest_failing_keys(
        keys, {fails, [] { return true; }, [](std::uint64_t rank) { return rank; }});
    EXPECT_TRUE(fails(smallest.keys));
    return smallest;
}

TEST(FailingKeys, AreNoneIfNoneAreNeeded) {
    EXPECT_EQ(shrunk(scattered(1'000), [](Keys const&) { return true; }).keys, Keys());
}

TEST(FailingKeys, AreAsManyAsAreNeeded) {
    for (std::size_t const needed : {1U, 2U, 31U, 257U, 4'097U}) {
        auto const smallest =
            shrunk(scattered(10'000), [needed](Keys const& keys) { return keys.size() >= needed; });
        EXPECT_EQ(smallest.keys, Keys(needed, 0));
        EXPECT_EQ(smallest.minimal, needed <= 128) << needed;
    }
}

TEST(FailingKeys, AreTwoThatAreOutOfOrder) {
    auto const smallest =
        shrunk(scattered(10'000), [](Keys const& keys) { return !std::ranges::is_sorted(keys); });
    EXPECT_EQ(smallest.keys, (Keys{1, 0}));
    EXPECT_TRUE(smallest.minimal);
}

TEST(FailingKeys, AreThoseThatMatterWhereverTheyLie) {
    Keys const keys = scattered(3'000);
    auto const smallest = shrunk(keys, [&](Keys const& some) {
        return std::ranges::find(some, keys[700]) != some.end() &&
               std::ranges::find(some, keys[2'999]) != some.end();
    });
    EXPECT_EQ(smallest.keys, (Keys{keys[700], keys[2'999]}));
    EXPECT_TRUE(smallest.minimal);
}

TEST(FailingKeys, AreFewIfTheOneInTheMiddleMatters) {
    Keys keys = scattered(2'001);
    keys[1'000] = 1; // after an odd number of other keys
    auto const smallest = shrunk(
        keys, [](Keys const& some) { return some.size() % 2 == 1 && some[some.size() / 2] == 1; });
    EXPECT_EQ(smallest.keys, Keys{1});
}

/// If no simple value fails, each key takes the preceding value.
TEST(FailingKeys, RepeatAValueWhereNoOtherFails) {
    Keys const allowed{10, 20, 30, 40};
    auto const smallest = shrunk({30, 10, 40, 20}, [&](Keys const& some) {
        return some.size() == 4 && std::ranges::all_of(some, [&](std::uint64_t key) {
                   return std::ranges::binary_search(allowed, key);
               });
    });
    EXPECT_EQ(smallest.keys, (Keys{10, 10, 10, 10}));
}

/// Pairs that can only be removed together are searched for among at most 20 keys.
TEST(FailingKeys, LackTwoThatCanOnlyGoTogether) {
    for (std::size_t const count : {3U, 20U, 21U}) {
        Keys const keys = scattered(count);
        Keys fewer = keys;
        fewer.erase(fewer.begin() + 2);
        fewer.erase(fewer.begin());
        auto const smallest =
            shrunk(keys, [&](Keys const& some) { return some == keys || some == fewer; });
        EXPECT_EQ(smallest.keys, count <= 20 ? fewer : keys);
    }
}

TEST(FailingKeys, AreThoseOfABucketWhereverTheyStand) {
    int tries = 0;
    Keys const keys = scattered(100'000);
    auto const in_bucket = [](std::uint64_t key) { return key >> 56 == 0x5a; };
    auto const needed = static_cast<std::size_t>(std::ranges::count_if(keys, in_bucket));
    auto const smallest = shrunk(keys, [&](Keys const& some) {
        ++tries;
        return static_cast<std::size_t>(std::ranges::count_if(some, in_bucket)) == needed;
    });
    EXPECT_LT(smallest.keys.size(), needed + needed / 4);
    EXPECT_LT(tries, 3'000);
}

TEST(FailingKeys, KeepTheDuplicatesThatMatter) {
    Keys keys = scattered(500);
    keys[17] = keys[450];
    auto const smallest = shrunk(keys, [](Keys some) {
        std::ranges::sort(some);
        return std::ranges::adjacent_find(some) != some.end();
    });
    EXPECT_EQ(smallest.keys, (Keys{0, 0}));
}

TEST(FailingKeys, AreThoseOfTheBestTryWhenTimeIsOver) {
    int left = 5;
    Keys const keys = scattered(1'000);
    FailingKeys const smallest =
        smallest_failing_keys(keys,
                              {[](Keys const& some) { return some.size() >= 3; },
                               [&left] { return left-- > 0; },
                               [](std::uint64_t rank) { return rank; }});
    EXPECT_GE(smallest.keys.size(), 3U);
    EXPECT_LT(smallest.keys.size(), keys.size());
    EXPECT_FALSE(smallest.minimal);
}

} // namespace
} // namespace keyswap::conformance
