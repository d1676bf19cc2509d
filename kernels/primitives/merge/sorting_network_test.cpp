#include "kernels/primitives/merge/sorting_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace keyswap::kernels {
namespace {

/// Runs all stages of a network, in the order of a thread block.
void sort_by_network(std::vector<int>& elements, std::uint32_t block_max) {
    auto const places = static_cast<std::uint32_t>(elements.size());
    for (std::uint32_t block = 2; block <= block_max; block *= 2) {
        for (std::uint32_t distance = block / 2; distance >= 1; distance /= 2) {
            std::vector<bool> taken(places, false);
            for (std::uint32_t i = 0; i < places / 2; ++i) {
                auto const [lower, upper] = comparator_of(i, block, distance);
                ASSERT_LT(lower, upper);
                ASSERT_LT(upper, places);
                ASSERT_EQ(lower / block, upper / block) << "in another block";
                ASSERT_FALSE(taken[lower] || taken[upper]) << "comparators of a stage share none";
                taken[lower] = taken[upper] = true;
                if (elements[upper] < elements[lower]) {
                    std::swap(elements[lower], elements[upper]);
                }
            }
        }
    }
}

// Zero-one principle (Knuth, volume 3, 5.3.4): a network that sorts all of these sorts anything.
TEST(SortingNetwork, SortsEverySequenceOfZerosAndOnes) {
    for (std::uint32_t const places : {2U, 4U, 8U, 16U}) {
        for (std::uint32_t word = 0; word < 1U << places; ++word) {
            std::vector<int> elements(places);
            for (std::uint32_t i = 0; i < places; ++i) {
                elements[i] = static_cast<int>(word >> i & 1U);
            }
            sort_by_network(elements, places);
            ASSERT_TRUE(std::ranges::is_sorted(elements)) << word << " of " << places;
        }
    }
}

TEST(SortingNetwork, OfALargeTileSortsEachOfItsRuns) {
    constexpr std::uint32_t places = 4096;
    constexpr std::uint32_t run = 256;
    std::vector<int> elements(places);
    for (std::uint32_t i = 0; i < places; ++i) {
        elements[i] = static_cast<int>(mix_bits(i) % 1000);
    }
    std::vector<int> expected = elements;
    for (std::uint32_t begin = 0; begin < places; begin += run) {
        std::sort(expected.begin() + begin, expected.begin() + begin + run);
    }
    sort_by_network(elements, run);
    EXPECT_EQ(elements, expected);
}

} // namespace
} // namespace keyswap::kernels
