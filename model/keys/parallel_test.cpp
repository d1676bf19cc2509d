#include "model/keys/parallel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
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

TEST(ParallelLoops, HaveNoMoreSlotsThanRanges) {
    EXPECT_EQ(parallel_slot_count(0, 10), 1U);
    EXPECT_EQ(parallel_slot_count(10, 10), 1U);
    EXPECT_LE(parallel_slot_count(11, 10), 2U);
    EXPECT_GE(parallel_slot_count(1'000'000, 1), 1U);
}

/// Each of two ranges waits until the other has begun, which requires two threads.
TEST(ParallelLoops, RunSlotsAtTheSameTime) {
    if (parallel_slot_count(2, 1) < 2) {
        GTEST_SKIP() << "one processor";
    }
    std::array<std::atomic<bool>, 2> begun{};
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    parallel_slots(2, 2, 1, [&](std::size_t slot, std::uint64_t, std::uint64_t) {
        begun.at(slot) = true;
        while (!(begun[0] && begun[1]) && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::yield();
        }
    });
    EXPECT_TRUE(begun[0]);
    EXPECT_TRUE(begun[1]);
}

TEST(ParallelLoops, VisitElementsOfAnArray) {
    std::vector<int> const values{3, 1, 2};
    std::atomic<int> sum{0};
    parallel_for_each(values, [&](int value) { sum += value; });
    EXPECT_EQ(sum, 6);
}

} // namespace
} // namespace keyswap::model
