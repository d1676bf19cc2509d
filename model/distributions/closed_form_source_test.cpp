#include "model/distributions/closed_form_source.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/planner.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace keyswap::model {
namespace {

constexpr std::uint64_t two_to_32 = std::uint64_t{1} << 32;
constexpr std::uint64_t two_to_29 = std::uint64_t{1} << 29;

/// A plan for n sorted u32 keys on 8 GPUs with zero tolerance.
Plan sorted_on_eight_gpus(std::uint64_t key_count) {
    SortConfig config;
    config.key_type = KeyType::u32;
    config.key_count = key_count;
    config.gpu_count = 8;
    config.tolerance_ppm = 0;
    ClosedFormSource source(KeyGenerator::make({"sorted", {}, KeyType::u32, key_count, 1}).value());
    return plan_rmg_sort(config, source);
}

std::vector<std::uint64_t> owned(Plan const& plan) {
    std::vector<std::uint64_t> counts;
    for (OwnershipRecord const& owner : plan.ownership) {
        counts.push_back(owner.count);
    }
    return counts;
}

// Key i is floor(i 2^32 / n), so digit d of pass 1 begins at rank ceil(d 2^24 n / 2^32).

TEST(ClosedFormSource, TwoToThe32KeysAreEveryValueOnce) {
    Plan const plan = sorted_on_eight_gpus(two_to_32);
    // Rank d 2^24: 32 digits fill a chunk of 2^29 keys exactly, so no bucket spans.
    EXPECT_EQ(plan.pass_count(), 1);
    EXPECT_EQ(owned(plan), std::vector<std::uint64_t>(8, two_to_29));
    EXPECT_EQ(plan.buckets.size(), 256U);
    for (PlannedBucket const& bucket : plan.buckets) {
        EXPECT_EQ(bucket.placement.end - bucket.placement.begin, std::uint64_t{1} << 24);
    }
    EXPECT_EQ(swap_totals(plan).keys, 0U);
}

TEST(ClosedFormSource, OneKeyLessThanTwoToThe32LeavesTheLastGpuOneShort) {
    Plan const plan = sorted_on_eight_gpus(two_to_32 - 1);
    // ceil(d 2^24 - d 2^-8) = d 2^24: only the last bucket has one key less.
    std::vector<std::uint64_t> expected(8, two_to_29);
    expected.back() -= 1;
    EXPECT_EQ(plan.pass_count(), 1);
    EXPECT_EQ(owned(plan), expected);
}

TEST(ClosedFormSource, OneKeyMoreThanTwoToThe32IsCountedInTheFirstBucket) {
    Plan const plan = sorted_on_eight_gpus(two_to_32 + 1);
    // ceil(d 2^24 + d 2^-8) = d 2^24 + 1 for d > 0. Chunks have 2^29 + 1 keys, so only the first
    // border is a bucket's; the others cut off the second, third ... key of a digit.
    EXPECT_EQ(plan.chunks.size(), two_to_29 + 1);
    EXPECT_EQ(plan.buckets.front().placement.end, (std::uint64_t{1} << 24) + 1);
    EXPECT_EQ(plan.buckets.back().placement.end, two_to_32 + 1);
    std::uint64_t sum = 0;
    for (std::uint64_t const count : owned(plan)) {
        EXPECT_LE(count, two_to_29 + 1);
        sum += count;
    }
    EXPECT_EQ(sum, two_to_32 + 1);
    // Bucket 64 begins at 2^30 + 1 and spans the border 2 (2^29 + 1) = 2^30 + 2.
    EXPECT_GT(plan.pass_count(), 1);
    EXPECT_EQ(plan.ownership[2].base, 2 * (two_to_29 + 1));
}

} // namespace
} // namespace keyswap::model
