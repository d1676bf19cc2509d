#pragma once

/// \file For tests: drawn keys, and outputs with a planted cause that guess_cause() has to name.

#include "model/check/output_check.hpp"
#include "model/keys/key_order.hpp"
#include "model/testing/temporary_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace keyswap::model::testing {

using Random = std::mt19937_64;

/// Between some hundred and some ten thousand keys, of both signs for signed types, with and
/// without duplicates.
template <class T>
std::vector<T> drawn_keys(Random& random) {
    std::size_t const count = 200 + random() % 30'000;
    bool const repeated = random() % 2 == 0;
    std::vector<T> keys(count);
    for (T& key : keys) {
        std::uint64_t const bits =
            repeated ? (random() % (count / 3)) * 0x9e3779b97f4a7c15U : random();
        if constexpr (std::is_floating_point_v<T>) {
            key = static_cast<T>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)),
                                            -static_cast<int>(bits % 40)));
        } else {
            key = static_cast<T>(bits);
        }
    }
    return keys;
}

template <class T>
std::vector<T> sorted(std::vector<T> keys) {
    std::ranges::sort(keys);
    return keys;
}

template <class T, class U>
OutputCheck check_of(std::vector<T> const& input,
                     std::vector<U> const& output,
                     OutputCheckOptions options = {}) {
    KeyFolder const folder;
    options.input.key_type = key_type_of<T>;
    auto check = check_output(folder.put("in", input), folder.put("out", output), options);
    EXPECT_TRUE(check) << check.error().message();
    return *check;
}

inline constexpr int plants = 10;
inline constexpr int named_min = 9;

/// Plants a cause ten times; `plant` turns an input into a wrong output.
template <class T>
void expect_named(Cause cause,
                  std::function<std::vector<T>(Random&, std::vector<T> const&)> const& plant,
                  std::string const& words = "",
                  OutputCheckOptions const& options = {}) {
    int named = 0;
    for (std::uint64_t seed = 1; seed <= plants; ++seed) {
        Random random(seed);
        auto const input = drawn_keys<T>(random);
        OutputCheck const check = check_of(input, plant(random, input), options);
        EXPECT_FALSE(check.holds());
        if (!check.guess) {
            continue;
        }
        EXPECT_EQ(to_string(check.guess->cause), to_string(cause)) << check.guess->sentence;
        EXPECT_NE(check.guess->sentence.find(words), std::string::npos) << check.guess->sentence;
        EXPECT_EQ(sentences(check).back(), "Possible cause: " + check.guess->sentence + ".");
        named += check.guess->cause == cause ? 1 : 0;
    }
    EXPECT_GE(named, named_min) << to_string(cause) << ' ' << words;
}

/// Reinterprets the bits as keys of another type.
template <class To, class From>
std::vector<To> read_as(std::vector<From> const& keys) {
    std::vector<To> read(keys.size());
    std::ranges::transform(keys, read.begin(), [](From key) { return std::bit_cast<To>(key); });
    return read;
}

} // namespace keyswap::model::testing
