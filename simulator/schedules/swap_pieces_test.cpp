#include "simulator/schedules/swap_pieces.hpp"

#include "model/keys/plain_source.hpp"
#include "model/sorts/rmg/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

/// Of 1,004 keys 640 have the first digit 1, in which the border lies, and 64 second digits.
std::vector<std::uint64_t> skewed_images() {
    std::vector<std::uint64_t> images;
    for (std::uint64_t second = 0; second < 64; ++second) {
        images.insert(images.end(), 10, 0x01000000 + (second << 16U));
    }
    for (std::uint64_t first = 2; first < 6; ++first) {
        images.insert(images.end(), 90, first << 24U);
    }
    images.insert(images.end(), 2, 0x06000000);
    images.insert(images.end(), 2, 0x07000000);
    return images;
}

struct Skewed {
    std::vector<std::uint64_t> images = skewed_images();
    model::PlainSource source{images};
    model::Plan plan = [this] {
        model::SortConfig config;
        config.key_count = images.size();
        config.gpu_count = 2;
        return model::plan_rmg_sort(config, source);
    }();
    KeySample sample{{images.begin(), images.end()}, images.size()};
};

TEST(DigitTree, OneReadingCountsTheSecondPassWhereASampleSeesIt) {
    Skewed const skewed;
    ASSERT_EQ(skewed.plan.pass_count(), 2);
    TreeReadings const readings = tree_readings(skewed.plan, skewed.sample);
    EXPECT_EQ(readings.passes, (std::vector{PassReading::tree, PassReading::none}));
    ASSERT_EQ(readings.trees.size(), 1U);
    EXPECT_TRUE(readings.trees.front().find({1, 1}));
    EXPECT_FALSE(readings.trees.front().find({1, 6})); // two keys
    EXPECT_EQ(tree_readings(skewed.plan, {}).passes,
              (std::vector{PassReading::digits, PassReading::digits}));
}

TEST(DigitTree, IsAsDeepAsTheDigitsOfItsDeepestChildren) {
    Skewed const skewed;
    DigitTree tree(skewed.plan.layout);
    EXPECT_EQ(tree.depth(), 1);
    ASSERT_TRUE(tree.add({2, 0x0101}));
    EXPECT_EQ(tree.depth(), 3);
}

TEST(SwapPieces, SmallNeighboursAreOneAndALargeBucketIsDivided) {
    Skewed skewed;
    DigitTree tree(skewed.plan.layout);
    ASSERT_TRUE(tree.add({1, 1}));
    auto const pieces =
        plan_of_pieces(skewed.plan, counted(std::move(tree), skewed.plan.chunks, skewed.source));
    ASSERT_TRUE(pieces);
    ASSERT_EQ(pieces->buckets.size(), 64U + 4U + 1U);
    model::PlannedBucket const& last = pieces->buckets.back();
    EXPECT_EQ(images_of(*pieces, last).lowest, 0x06000000U);
    EXPECT_EQ(images_of(*pieces, last).highest, 0x07ffffffU);
    EXPECT_EQ(part_size(*pieces, last, GpuId{1}), 4U);
    EXPECT_EQ(last.placement.end, skewed.images.size());
    EXPECT_TRUE(std::ranges::all_of(pieces->buckets, [&](model::PlannedBucket const& piece) {
        return piece.placement.first == piece.placement.last;
    }));
}

TEST(SwapPieces, CrowdWithinThemWhereFewChildrenHoldMostOfASample) {
    Skewed skewed;
    auto const pieces = plan_of_pieces(
        skewed.plan, counted(DigitTree(skewed.plan.layout), skewed.plan.chunks, skewed.source));
    ASSERT_TRUE(pieces);                               // first digits
    EXPECT_TRUE(crowd_within(*pieces, skewed.sample)); // each of 2 to 5 has one value
    KeySample even{{}, 512};
    for (std::uint64_t image = 0; image < 512; ++image) {
        even.images.emplace_back((image << 15U) + 0x01000000);
    }
    EXPECT_FALSE(crowd_within(*pieces, even));
}

} // namespace
} // namespace keyswap::simulator
