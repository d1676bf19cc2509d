#include "model/sorts/rmg/lsd_radix_sort.hpp"

#include "traces/records/digest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace keyswap::model {
namespace {

TEST(BucketSort, PassesAreEvenAndCoverAllBits) {
    for (int bits = 1; bits <= 64; ++bits) {
        for (std::size_t const size : {2U, 1000U, 1U << 20}) {
            LsdPasses const passes = choose_lsd_passes(size, bits);
            EXPECT_EQ(passes.count % 2, 0);
            EXPECT_GE(passes.count * passes.digit_bits, bits);
            EXPECT_LE(passes.digit_bits, 12);
        }
    }
}

TEST(BucketSort, OnlyTheLowBitsAreSortedAndTheRestKeepsItsOrder) {
    for (int const end_bit : {1, 2, 7, 8, 9, 13, 24, 31, 32}) {
        for (std::size_t const size : {0U, 1U, 2U, 32U, 33U, 1000U}) {
            std::vector<std::uint32_t> keys(size);
            for (std::size_t i = 0; i < size; ++i) {
                keys[i] = static_cast<std::uint32_t>(mix_bits(i));
            }
            std::vector<std::uint32_t> order(size);
            std::iota(order.begin(), order.end(), 0U);
            auto const expected_by = [&](std::uint32_t index) {
                return end_bit == 32 ? keys[index] : keys[index] & ((1U << end_bit) - 1);
            };
            std::ranges::stable_sort(order, {}, expected_by);

            auto sorted_keys = keys;
            std::vector<std::uint32_t> values(size);
            std::iota(values.begin(), values.end(), 0U);
            std::vector<std::uint32_t> key_scratch(size);
            std::vector<std::uint32_t> value_scratch(size);
            using Arrays = KeyArrays<std::uint32_t, std::uint32_t>;
            sort_low_bits(Arrays{sorted_keys, values}, Arrays{key_scratch, value_scratch}, end_bit);
            EXPECT_EQ(values, order) << "end bit " << end_bit << ", size " << size;
        }
    }
}

TEST(BucketSort, NoBitsLeaveEverythingInPlace) {
    std::vector<std::uint64_t> keys{3, 1, 2};
    std::vector<std::uint64_t> scratch(3);
    using Arrays = KeyArrays<std::uint64_t, NoValue>;
    sort_low_bits(Arrays{keys, {}}, Arrays{scratch, {}}, 0);
    EXPECT_EQ(keys, (std::vector<std::uint64_t>{3, 1, 2}));
}

} // namespace
} // namespace keyswap::model
