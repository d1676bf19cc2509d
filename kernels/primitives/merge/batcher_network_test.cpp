#include "kernels/primitives/merge/batcher_network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace keyswap::kernels {
namespace {

/// Runs all stages of a network, in the order of a thread block.
/// \return number of comparisons
int sort_by_network(std::vector<int>& elements) {
    auto const places = static_cast<std::uint32_t>(elements.size());
    int comparisons = 0;
    for (std::uint32_t block = 2; block <= places; block *= 2) {
        for (std::uint32_t distance = block / 2; distance >= 1; distance /= 2) {
            std::vector<bool> taken(places, false);
            for (std::uint32_t i = 0; i < places / 2; ++i) {
                auto const [lower, upper] = batcher_comparator_of(i, block, distance);
                if (lower == upper) {
                    continue;
                }
                ++comparisons;
                EXPECT_EQ(upper - lower, distance);
                EXPECT_EQ(lower / block, upper / block) << "in another block";
                EXPECT_FALSE(taken[lower] || taken[upper]) << "comparators of a stage share none";
                taken[lower] = taken[upper] = true;
                if (elements[upper] < elements[lower]) {
                    std::swap(elements[lower], elements[upper]);
                }
            }
        }
    }
    return comparisons;
}

// Zero-one principle (Knuth, volume 3, 5.3.4): a network that sorts all of these sorts anything.
TEST(BatcherNetwork, SortsEverySequenceOfZerosAndOnes) {
    for (std::uint32_t const places : {2U, 4U, 8U, 16U}) {
        for (std::uint32_t word = 0; word < 1U << places; ++word) {
            std::vector<int> elements(places);
            for (std::uint32_t i = 0; i < places; ++i) {
                elements[i] = static_cast<int>(word >> i & 1U);
            }
            sort_by_network(elements);
            ASSERT_TRUE(std::ranges::is_sorted(elements)) << word << " of " << places;
        }
    }
}

// Knuth, volume 3, 5.3.4: (q^2 - q + 4) 2^(q - 2) - 1 comparators, fewer than the bitonic network's
// q (q + 1) 2^(q - 2).
TEST(BatcherNetwork, ComparesAsOftenAsBatchersDoes) {
    for (int q = 1; q <= 11; ++q) {
        std::vector<int> elements(std::size_t{1} << q);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            elements[i] = static_cast<int>(mix_bits(i) % 1000);
        }
        int const expected = ((q * q - q + 4) << q) / 4 - 1;
        EXPECT_EQ(sort_by_network(elements), expected) << q;
        EXPECT_TRUE(std::ranges::is_sorted(elements)) << q;
    }
}

/// Row sorts as in row_network.cuh: all rows of 16, then the same offset by half a
/// row.
std::vector<int> sort_by_rows(std::vector<int> keys) {
    constexpr std::size_t row = 16;
    for (std::size_t begin = 0; begin + row <= keys.size(); begin += row) {
        std::vector<int> words(&keys[begin], &keys[begin] + row);
        sort_by_network(words);
        std::ranges::copy(words, &keys[begin]);
    }
    for (std::size_t begin = row / 2; begin + row <= keys.size(); begin += row) {
        for (std::uint32_t distance = row / 2; distance >= 1; distance /= 2) {
            for (std::uint32_t i = 0; i < row / 2; ++i) {
                auto const [lower, upper] = batcher_comparator_of(i, row, distance);
                if (keys[begin + upper] < keys[begin + lower]) {
                    std::swap(keys[begin + lower], keys[begin + upper]);
                }
            }
        }
    }
    return keys;
}

/// Keys ordered by bins: one has `count` keys from `place` on; the order within bins is reversed.
std::vector<int> keys_with_bin(std::size_t place, std::size_t count) {
    std::vector<int> keys(64);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        bool const lies_in = place <= i && i < place + count;
        keys[i] = static_cast<int>(lies_in ? 2 * place + count - 1 - i : i);
    }
    return keys;
}

TEST(RowNetwork, TwoRowsThatOverlapByHalfBringBinsOfNineIntoOrderWhereverTheyLie) {
    for (std::size_t count = 1; count <= 9; ++count) {
        for (std::size_t place = 0; place + count <= 64; ++place) {
            ASSERT_TRUE(std::ranges::is_sorted(sort_by_rows(keys_with_bin(place, count))))
                << count << " keys at " << place;
        }
    }
    EXPECT_FALSE(std::ranges::is_sorted(sort_by_rows(keys_with_bin(7, 10))));
}

} // namespace
} // namespace keyswap::kernels
