#include "model/buckets/row_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace keyswap::model {
namespace {

std::vector<std::uint64_t> row_of(BucketHistogram const& histogram, std::uint32_t gpu) {
    auto const row = histogram.of(GpuId{gpu});
    return {row.begin(), row.end()};
}

constexpr std::array<BucketPrefix, 2> two_buckets{{{1, 3}, {1, 7}}};

TEST(RowPool, KeepsEqualRowsOnceAndDistinguishesOthers) {
    RowPool pool(two_buckets, 3, 2);
    std::vector<std::uint64_t> counters{1, 2, 3, 4};
    pool.take_rows(GpuId{0}, counters);
    EXPECT_EQ(counters, (std::vector<std::uint64_t>{0, 0, 0, 0})); // ready for the next GPU
    counters = {1, 2, 4, 3};
    pool.take_rows(GpuId{1}, counters);
    auto const histograms = std::move(pool).histograms();
    ASSERT_EQ(histograms.size(), 2U);
    EXPECT_EQ(histograms[0].bucket(), two_buckets[0]);
    EXPECT_EQ(row_of(histograms[0], 0), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(histograms[0].row_of(GpuId{0}), histograms[0].row_of(GpuId{1}));
    EXPECT_EQ(row_of(histograms[1], 0), (std::vector<std::uint64_t>{3, 4}));
    EXPECT_EQ(row_of(histograms[1], 1), (std::vector<std::uint64_t>{4, 3}));
    // A GPU without keys has zero counts.
    EXPECT_EQ(row_of(histograms[1], 2), (std::vector<std::uint64_t>{0, 0}));
}

TEST(RowPool, CopiesTheRowsOfAnotherGpu) {
    RowPool pool(two_buckets, 2, 2);
    std::vector<std::uint64_t> counters{1, 2, 0, 0};
    pool.take_rows(GpuId{1}, counters);
    pool.copy_rows(GpuId{1}, GpuId{0});
    auto const histograms = std::move(pool).histograms();
    EXPECT_EQ(row_of(histograms[0], 0), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(histograms[0].total(), (std::vector<std::uint64_t>{2, 4}));
}

} // namespace
} // namespace keyswap::model
