#include "model/keys/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace keyswap::model {
namespace {

TEST(ParallelLoops, VisitEachIndexOnce) {
    for (std::uint64_t const count : {0, 1, 2, 63, 64, 65, 1000}) {
        for (std::uint64_t const grain : {1, 7, 64, 5000}) {
            std::vector<std::atomic<int>> visits(count);
            parallel_ranges(count, grain, [&](std::uint64_t begin, std::uint64_t end) {
                EXPECT_LE(end - begin, grain);
                for (std::uint64_t i = begin; i < end; ++i) {
                    ++visits[i];
                }
            });
            for (std::uint64_t i = 0; i < count; ++i) {
                EXPECT_EQ(visits[i], 1) << i << " of " << count << " by " << grain;
            }
        }
    }
}

TEST(ParallelLoops, MayBeNested) {
    std::vector<std::uint64_t> sums(40);
    parallel_for(sums.size(), [&](std::uint64_t row) {
        sums[row] = parallel_sum<std::uint64_t>(
            1000, 10, [&](std::uint64_t& sum, std::uint64_t begin, std::uint64_t end) {
                for (std::uint64_t i = begin; i < end; ++i) {
                    sum += row * i;
                }
            });
    });
    for (std::uint64_t row = 0; row < sums.size(); ++row) {
        EXPECT_EQ(sums[row], row * 499'500);
    }
}

TEST(ParallelLoops, CountIntoOneRowOfCounters) {
    auto const counts = parallel_counts(
        10'000, 100, 3, [](std::span<std::uint64_t> row, std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) {
                ++row[i % 3];
            }
        });
    EXPECT_EQ(counts, (std::vector<std::uint64_t>{3334, 3333, 3333}));
}

TEST(ParallelLoops, VisitElementsOfAnArray) {
    std::vector<int> const values{3, 1, 2};
    std::atomic<int> sum{0};
    parallel_for_each(values, [&](int value) { sum += value; });
    EXPECT_EQ(sum, 6);
}

} // namespace
} // namespace keyswap::model
