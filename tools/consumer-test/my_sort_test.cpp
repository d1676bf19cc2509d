// A project's tests of a sort of its own, which loses a key where three are equal.
#include "proptests/testing/sort_testing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using namespace keyswap::testing;
using Keys = std::vector<std::int32_t>;

Keys my_sort(Keys keys) {
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 2; i < keys.size(); ++i) {
        if (keys[i] == keys[i - 2]) {
            keys[i - 1] = keys[i] ^ 1;
        }
    }
    return keys;
}

class MySort : public ::testing::TestWithParam<ZooCase<std::int32_t>> {};

TEST_P(MySort, Sorts) {
    EXPECT_THAT(my_sort(GetParam().keys), SortedPermutationOf(GetParam().keys));
}

INSTANTIATE_TEST_SUITE_P(Zoo, MySort, ::testing::ValuesIn(key_zoo<std::int32_t>()), zoo_name{});

RC_GTEST_PROP(MySort, SortsHardKeys, ()) {
    auto const input = *hard_keys<std::int32_t>();
    RC_ASSERT(is_sorted_permutation(my_sort(input), input));
}

} // namespace
