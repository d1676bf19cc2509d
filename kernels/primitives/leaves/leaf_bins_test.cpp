#include "kernels/primitives/leaves/leaf_bins.hpp"

#include "traces/records/digest.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace keyswap::kernels {
namespace {

/// Keys in a range: all near its ends, and random ones.
template <class Key>
std::vector<Key> keys_between(Key low, Key highest) {
    std::vector<Key> keys;
    Key const range = static_cast<Key>(highest - low);
    for (Key i = 0; i < 100 && i <= range; ++i) {
        keys.push_back(static_cast<Key>(low + i));
        keys.push_back(static_cast<Key>(highest - i));
        std::uint64_t const random = mix_bits(i);
        keys.push_back(range == std::numeric_limits<Key>::max()
                           ? static_cast<Key>(random)
                           : static_cast<Key>(low + static_cast<Key>(random) % (range + 1)));
    }
    std::ranges::sort(keys);
    return keys;
}

template <class Key>
void expect_bins_ascend(Key low, Key highest, std::uint32_t bins) {
    BinScale<Key> const scale = bin_scale(low, highest, bins);
    std::uint32_t last = 0;
    for (Key const key : keys_between(low, highest)) {
        std::uint32_t const bin = scale.bin_of(key);
        ASSERT_LT(bin, bins);
        ASSERT_GE(bin, last);
        last = bin;
    }
    // The largest key is in the last bin or the one before, if there are as many distances as bins.
    if (static_cast<Key>(highest - low) >= bins) {
        EXPECT_GE(last + 2, bins) << "range " << highest - low;
        EXPECT_FALSE(scale.is_exact());
    } else {
        EXPECT_EQ(last, highest - low);
        EXPECT_TRUE(scale.is_exact());
    }
}

template <class Key>
void expect_bins_ascend_for_all_ranges() {
    constexpr Key most = std::numeric_limits<Key>::max();
    for (std::uint32_t const bins : {256U, 1280U, 2048U}) {
        for (int bits = 0; bits < std::numeric_limits<Key>::digits; bits += 3) {
            Key const power = static_cast<Key>(Key{1} << bits);
            for (Key const range :
                 {static_cast<Key>(power - 1), power, static_cast<Key>(power + 1)}) {
                expect_bins_ascend<Key>(0, range, bins);
                expect_bins_ascend<Key>(static_cast<Key>(most - range), most, bins);
            }
        }
        expect_bins_ascend<Key>(0, most, bins);
        for (Key const range : {bins - 1, bins, bins + 1}) {
            expect_bins_ascend<Key>(77, static_cast<Key>(77 + range), bins);
        }
    }
}

TEST(LeafBins, AscendWithTheKeysAndReachFromTheFirstToTheLast) {
    expect_bins_ascend_for_all_ranges<std::uint32_t>();
    expect_bins_ascend_for_all_ranges<std::uint64_t>();
}

TEST(LeafBins, OfEvenKeysHoldAboutAsManyEach) {
    std::uint32_t const bins = 1024;
    std::uint64_t const low = 0x1234'5678'0000'0000;
    std::uint64_t const range = 0x0003'ffff'ffff'ffff;
    BinScale<std::uint64_t> const scale = bin_scale(low, low + range, bins);
    std::vector<std::uint32_t> counts(bins);
    std::uint64_t const keys = 64 * bins;
    for (std::uint64_t i = 0; i < keys; ++i) {
        ++counts[scale.bin_of(low + range / keys * i)];
    }
    counts.pop_back(); // the factor is a whole number of bins, so the last bin may be empty
    auto const [fewest, most] = std::ranges::minmax(counts);
    EXPECT_GE(fewest, 62U); // 64 on average; bins may end between two keys
    EXPECT_LE(most, 66U);
}

} // namespace
} // namespace keyswap::kernels
