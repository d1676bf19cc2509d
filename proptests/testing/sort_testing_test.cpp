#include "proptests/testing/sort_testing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::testing {
namespace {

/// Sorts in total order, which std::sort does not use for floats.
template <class Key>
std::vector<Key> right_sort(std::vector<Key> keys) {
    std::ranges::sort(keys, [](Key a, Key b) {
        if constexpr (std::is_floating_point_v<Key>) {
            return std::strong_order(a, b) < 0;
        } else {
            return a < b;
        }
    });
    return keys;
}

/// Overwrites the second of two equal neighbours; the number of keys is unchanged.
template <class Key>
std::vector<Key> sort_that_loses_ties(std::vector<Key> keys) {
    keys = right_sort(std::move(keys));
    for (std::size_t i = 2; i < keys.size(); ++i) {
        if (keys[i] != keys[i - 1] && keys[i - 1] == keys[i - 2]) {
            keys[i - 1] = keys[i];
        }
    }
    return keys;
}

template <class Output, class Matcher>
std::string explanation(Output const& output, Matcher const& matcher) {
    std::ostringstream text;
    EXPECT_FALSE(matcher.MatchAndExplain(output, &text));
    return text.str();
}

TEST(SortedPermutationOf, MatchesWhatIsSortedAndSaysWhatIsNot) {
    std::vector<std::int32_t> const input{5, -3, 5, 0};
    EXPECT_THAT((std::vector<std::int32_t>{-3, 0, 5, 5}), SortedPermutationOf(input));
    EXPECT_THAT((std::array{5, 5, 0, -3}),
                SortedPermutationOf(input, {.direction = Direction::descending}));
    EXPECT_THAT((std::vector<std::int32_t>{-3, 5, 0, 5}),
                ::testing::Not(SortedPermutationOf(input)));
    EXPECT_EQ(
        explanation(std::vector<std::int32_t>{-3, 0, 0, 5}, SortedPermutationOf(input)),
        "The output lacks 1 key of value 5 (in sorted order from index 2). The output has 1 key "
        "too many, of value 0 (in sorted order from index 1). Value 0: 1 in the input, 2 in the "
        "output. Value 5: 2 in the input, 1 in the output.");
}

TEST(SortedPermutationOf, GuessesTheCause) {
    auto const input = zoo::scattered<std::int32_t>(1'000);
    EXPECT_NE(explanation(input, SortedPermutationOf(input)).find("the output is the input"),
              std::string::npos);
}

TEST(SortedPermutationOf, TakesZerosAndNansAsRequested) {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> const input{0.0F, -0.0F, -nan, 1.0F};
    std::vector<float> const output{0.0F, -0.0F, 1.0F, -nan};
    EXPECT_THAT(output, ::testing::Not(SortedPermutationOf(input)));
    EXPECT_THAT(
        output,
        SortedPermutationOf(input, {.zero_order = ZeroOrder::equal, .nan_order = NanOrder::last}));
}

template <class Key>
class HardKeys : public ::testing::Test {};
using KeyTypes = ::testing::Types<std::uint32_t,
                                  std::uint64_t,
                                  std::int32_t,
                                  std::int64_t,
                                  float,
                                  double,
                                  model::uint128,
                                  model::int128>;
TYPED_TEST_SUITE(HardKeys, KeyTypes);

TYPED_TEST(HardKeys, HoldTiesSpecialValuesAndSizesBeyondATile) {
    std::size_t longest = 0;
    std::size_t longest_tie = 0;
    bool is_sorted = false;
    std::set<model::ImageOf<TypeParam>> seen;
    EXPECT_TRUE(rc::check([&] {
        auto const keys = *hard_keys<TypeParam>();
        std::size_t tie = 0;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            auto const word = std::bit_cast<model::ImageOf<TypeParam>>(keys[i]);
            tie = i > 0 && word == std::bit_cast<model::ImageOf<TypeParam>>(keys[i - 1]) ? tie + 1
                                                                                         : 1;
            longest_tie = std::max(longest_tie, tie);
            seen.insert(word);
        }
        longest = std::max(longest, keys.size());
        is_sorted = is_sorted || (keys.size() > 50 && std::ranges::is_sorted(keys));
    }));
    EXPECT_GT(longest, 1'000U);
    EXPECT_GT(longest_tie, 50U);
    for (TypeParam const key : special_keys<TypeParam>()) {
        EXPECT_TRUE(seen.contains(std::bit_cast<model::ImageOf<TypeParam>>(key)))
            << ::testing::PrintToString(key);
    }
    if constexpr (std::is_unsigned_v<TypeParam>) {
        EXPECT_TRUE(is_sorted);
    }
}

TYPED_TEST(HardKeys, AreSortedByARightSort) {
    EXPECT_TRUE(rc::check([] {
        auto const input = *hard_keys<TypeParam>();
        RC_ASSERT(is_sorted_permutation(right_sort(input), input));
    }));
}

TYPED_TEST(HardKeys, ShrinkAFaultToFewKeys) {
    std::vector<TypeParam> smallest;
    std::ostringstream log;
    auto* const before = std::cerr.rdbuf(log.rdbuf());
    bool const holds = rc::check([&] {
        auto const input = *hard_keys<TypeParam>();
        if (!is_sorted_permutation(sort_that_loses_ties(input), input)) {
            smallest = input;
            RC_FAIL("loses a tie");
        }
    });
    std::cerr.rdbuf(before);
    EXPECT_FALSE(holds);
    EXPECT_LE(smallest.size(), 3U);
}

template <class Key>
class KeyZoo : public ::testing::Test {};
TYPED_TEST_SUITE(KeyZoo, KeyTypes);

TYPED_TEST(KeyZoo, IsSortedByARightSortAndHasNamesOfItsOwn) {
    std::set<std::string> names;
    for (ZooCase<TypeParam> const& each : key_zoo<TypeParam>()) {
        EXPECT_THAT(right_sort(each.keys), SortedPermutationOf(each.keys)) << each.name;
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
        EXPECT_FALSE(each.source.empty());
    }
    EXPECT_GE(names.size(), 30U);
}

TYPED_TEST(KeyZoo, FindsASortThatLosesTies) {
    std::size_t found = 0;
    for (ZooCase<TypeParam> const& each : key_zoo<TypeParam>()) {
        found +=
            check_sorted<TypeParam>(each.keys, sort_that_loses_ties(each.keys)).holds() ? 0 : 1;
    }
    EXPECT_GE(found, 2U);
}

} // namespace
} // namespace keyswap::testing
