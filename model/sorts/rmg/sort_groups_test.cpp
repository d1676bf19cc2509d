#include "model/sorts/rmg/sort_groups.hpp"

#include "model/sorts/rmg/planner.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

Plan plan_of(std::vector<std::uint64_t> const& images,
             std::uint32_t gpu_count,
             std::uint32_t fuse_ppm) {
    SortConfig config;
    config.key_count = images.size();
    config.gpu_count = gpu_count;
    config.fuse_ppm = fuse_ppm;
    PlainSource source(images);
    return plan_rmg_sort(config, source);
}

/// `count` keys for each of the given first digits, divided into equal chunks, one per GPU.
std::vector<std::uint64_t> with_first_digits(std::vector<std::uint64_t> const& digits, int count) {
    std::vector<std::uint64_t> images;
    for (int i = 0; i < count; ++i) {
        for (std::uint64_t const digit : digits) {
            images.push_back((digit << 24) | static_cast<std::uint64_t>(i));
        }
    }
    return images;
}

int end_bit(DigitLayout const& layout, BucketPrefix first, BucketPrefix last) {
    auto const images = [&](BucketPrefix bucket) {
        return ImageInterval{layout.lowest_image(bucket), layout.highest_image(bucket)};
    };
    return group_end_bit(images(first), images(last));
}

TEST(SortGroups, ABucketOfPassQIsSortedOnTheBitsBelow) {
    DigitLayout const layout(32, 8);
    EXPECT_EQ(end_bit(layout, {1, 7}, {1, 7}), 24);
    EXPECT_EQ(end_bit(layout, {3, 7}, {3, 7}), 8);
    EXPECT_EQ(end_bit(layout, {4, 7}, {4, 7}), 0);
}

TEST(SortGroups, AFusedGroupEndsAboveTheHighestDifferingBitOfTheFullPrefixes) {
    DigitLayout const layout(32, 8);
    EXPECT_EQ(end_bit(layout, {1, 6}, {1, 7}), 25);
    EXPECT_EQ(end_bit(layout, {1, 127}, {1, 128}), 32);
    // Parents 0 and 1 with equal last digits: the last digit alone would not differ.
    EXPECT_EQ(end_bit(layout, {2, 0x0ff}, {2, 0x1ff}), 25);
    EXPECT_EQ(end_bit(layout, {2, 0x0ff}, {2, 0x100}), 25);
}

TEST(SortGroups, BucketsOfTheLastPassAreNeverSortedFusedOrNot) {
    // Ten values that differ only in the last digit, so that all four passes run.
    std::vector<std::uint64_t> images;
    for (std::uint64_t i = 0; i < 200; ++i) {
        images.push_back(i % 10);
    }
    EXPECT_EQ(plan_of(images, 2, 1'000'000).sort_groups,
              (std::vector<SortGroup>{{GpuId{0}, 0, 80, 0, 4},
                                      {GpuId{0}, 80, 20, 0, 1},
                                      {GpuId{1}, 0, 80, 0, 4},
                                      {GpuId{1}, 80, 20, 0, 1}}));
}

TEST(SortGroups, ANarrowLastDigitLeavesItsBitsBelow) {
    DigitLayout const layout(32, 5); // passes of 5, 5, 5, 5, 5, 5 and 2 bits
    EXPECT_EQ(end_bit(layout, {6, 1}, {6, 1}), 2);
    EXPECT_EQ(end_bit(layout, {7, 1}, {7, 1}), 0);
}

TEST(SortGroups, NeighboursFuseWhileTheirJointSizeIsBelowTheThreshold) {
    // One GPU pair, C = 400; buckets of 100 keys.
    auto const images = with_first_digits({0, 1, 2, 3, 4, 5, 6, 7}, 100);
    // The limit is 50 % of 400 = 200: a joint size of exactly 200 is not below it.
    EXPECT_EQ(plan_of(images, 2, 500'000).sort_groups.size(), 8U);
    // The limit is 50.01 % of 400 = 200.04: two buckets fit.
    Plan const pairs = plan_of(images, 2, 500'100);
    ASSERT_EQ(pairs.sort_groups.size(), 4U);
    EXPECT_EQ(pairs.sort_groups[0], (SortGroup{GpuId{0}, 0, 200, 25, 2}));
    EXPECT_EQ(pairs.sort_groups[1], (SortGroup{GpuId{0}, 200, 200, 25, 2}));
}

TEST(SortGroups, NeighboursOfDifferentPassesDoNotFuse) {
    // Bucket 1 spans the border between two GPUs and is refined; 0 and 2 are not.
    std::vector<std::uint64_t> images;
    for (std::uint64_t i = 0; i < 100; ++i) {
        images.insert(images.end(), {0, (1U << 24) | (i << 16), 2U << 24});
    }
    Plan const plan = plan_of(images, 2, 1'000'000);
    ASSERT_EQ(plan.pass_count(), 2);
    // C = 150. Refined digits 0..49 differ in 6 bits, 50..99 in 7, each above 16 unread bits.
    EXPECT_EQ(plan.sort_groups,
              (std::vector<SortGroup>{{GpuId{0}, 0, 100, 24, 1},
                                      {GpuId{0}, 100, 50, 22, 50},
                                      {GpuId{1}, 0, 50, 23, 50},
                                      {GpuId{1}, 50, 100, 24, 1}}));
}

TEST(SortGroups, MoreThan128GroupsAreSortedInOneGo) {
    std::vector<std::uint64_t> digits(256);
    for (std::uint64_t i = 0; i < digits.size(); ++i) {
        digits[i] = i;
    }
    auto const images = with_first_digits(digits, 8);
    // Two GPUs own 128 buckets each, the maximum.
    EXPECT_EQ(plan_of(images, 2, 0).sort_groups.size(), 256U);
    // A GPU that owns more than 128 sorts all keys in one call, on all bits that can differ.
    std::vector<std::uint64_t> uneven = images;
    for (int i = 0; i < 300; ++i) {
        uneven.push_back(0xff000000);
    }
    Plan const plan = plan_of(uneven, 2, 0);
    SortGroup const& first = plan.sort_groups.front();
    EXPECT_GT(first.bucket_count, 128U);
    EXPECT_EQ(first.offset, 0U);
    EXPECT_EQ(first.end_bit, 32);
    EXPECT_EQ(first.count, plan.ownership[0].count);
    EXPECT_EQ(first.extent, GroupExtent::whole_range);
}

TEST(SortGroups, AFusedGroupOfAllAGpusBucketsIsNoWholeRange) {
    // C = 400 as above. Without one key of the lowest bucket GPU 0 owns 399, below the limit 400.
    auto images = with_first_digits({0, 1, 2, 3, 4, 5, 6, 7}, 100);
    images.erase(images.begin());
    Plan const plan = plan_of(images, 2, 1'000'000);
    SortGroup const& fused = plan.sort_groups.front();
    EXPECT_EQ(fused.bucket_count, 4U);
    EXPECT_EQ(fused.count, plan.ownership[0].count);
    EXPECT_EQ(fused.extent, GroupExtent::buckets);
}

} // namespace
} // namespace keyswap::model
