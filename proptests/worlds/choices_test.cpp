/// \file The enumeration of worlds itself, and the inputs that it gives.

#include "proptests/worlds/choices.hpp"
#include "proptests/worlds/small_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace keyswap::proptests {
namespace {

TEST(Choices, VisitEveryWorldOnce) {
    Choices choices;
    std::set<std::vector<int>> seen;
    while (choices.next()) {
        std::vector<int> keys(choices.below(3));
        for (int& key : keys) {
            key = choices.of({10, 20});
        }
        EXPECT_TRUE(seen.insert(keys).second);
    }
    EXPECT_EQ(choices.worlds(), 1U + 2U + 4U);
    EXPECT_EQ(seen.size(), choices.worlds());
}

TEST(Choices, OfATestThatAsksForNoneAreOneWorld) {
    Choices choices;
    EXPECT_TRUE(choices.next());
    EXPECT_FALSE(choices.next());
}

TEST(Choices, LeaveAWorldWhereItIsOfNoUse) {
    Choices choices;
    int kept = 0;
    while (choices.next()) {
        if (choices.below(2) == 0) {
            continue;
        }
        kept += choices.below(3) > 0 ? 1 : 0;
    }
    EXPECT_EQ(choices.worlds(), 1U + 3U);
    EXPECT_EQ(kept, 2);
}

/// The number of all sequences of n values whose values are 1, 2 or 3 given ones, by inclusion and
/// exclusion, times the digits in which neighbours differ.
std::size_t expected_inputs(std::size_t digits) {
    std::size_t sum = 1; // no keys
    for (std::size_t n = 1, two = 2, three = 3; n <= small_keys_max; ++n, two *= 2, three *= 3) {
        sum += 1 + (two - 2) * digits + (three - 3 * (two - 2) - 3) * digits * digits;
    }
    return sum;
}

TEST(SmallInputs, AreAllThatDifferForASort) {
    for (DigitShape const& shape : {one_digit(), outer_digits(8), every_digit(8), every_digit(4)}) {
        Choices choices;
        std::set<std::vector<std::uint64_t>> seen;
        while (choices.next()) {
            if (auto const images = small_input(choices, shape)) {
                EXPECT_TRUE(seen.insert(*images).second);
            }
        }
        EXPECT_EQ(seen.size(), expected_inputs(shape.digits.size()));
        EXPECT_LT(*std::ranges::max_element(*seen.rbegin()), std::uint64_t{1} << 32);
    }
    EXPECT_EQ(expected_inputs(1), 853U);
}

/// E = floor(C * tolerance) of every chunk that up to six keys make: no tolerance gives others.
TEST(SmallTolerances, GiveAllThatAnyToleranceGives) {
    for (std::uint32_t gpus = 1; gpus <= 4; ++gpus) {
        std::uint64_t const chunk_max = (small_keys_max + gpus - 1) / gpus;
        auto const slacks = [chunk_max](std::uint64_t ppm) {
            std::vector<std::uint64_t> all;
            for (std::uint64_t chunk = 1; chunk <= chunk_max; ++chunk) {
                all.push_back(chunk * ppm / 1'000'000);
            }
            return all;
        };
        std::set<std::vector<std::uint64_t>> chosen;
        for (std::uint32_t const ppm : small_tolerances(gpus)) {
            EXPECT_TRUE(chosen.insert(slacks(ppm)).second);
        }
        for (std::uint64_t ppm = 0; gpus > 1 && ppm <= 500'000; ++ppm) {
            EXPECT_TRUE(chosen.contains(slacks(ppm))) << ppm;
        }
    }
}

} // namespace
} // namespace keyswap::proptests
