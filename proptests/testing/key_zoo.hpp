#pragma once

/// \file Inputs that broke real sorts, as parameters of a GoogleTest suite.
///
///     class MySort : public ::testing::TestWithParam<ZooCase<float>> {};
///     TEST_P(MySort, Sorts) {
///         EXPECT_THAT(my_sort(GetParam().keys), SortedPermutationOf(GetParam().keys));
///     }
///     INSTANTIATE_TEST_SUITE_P(Zoo, MySort, ::testing::ValuesIn(key_zoo<float>()), zoo_name{});

#include "model/distributions/key_zoo.hpp"

#include <string>

namespace keyswap::testing {

namespace zoo = model::zoo;
using model::key_zoo;
using model::ZooCase;

/// Name generator for INSTANTIATE_TEST_SUITE_P: the case's name.
struct zoo_name {
    template <class Info>
    std::string operator()(Info const& info) const {
        return info.param.name;
    }
};

} // namespace keyswap::testing
