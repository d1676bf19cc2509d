#include "simulator/schedules/tree_readings.hpp"

#include "model/sorts/rmg/planner.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace keyswap::simulator {
namespace {

/// 640 of 1,004 keys have first digit 1, which spans the border, with 64 second digits.
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
};

TEST(TreeReadings, OneReadingCountsTheSecondPassWhereASampleSeesIt) {
    Skewed const skewed;
    ASSERT_EQ(skewed.plan.pass_count(), 2);
    TreeReadings const readings = tree_readings(skewed.plan, skewed.images);
    EXPECT_EQ(readings.passes, (std::vector{PassReading::tree, PassReading::none}));
    ASSERT_EQ(readings.trees.size(), 1U);
    EXPECT_TRUE(readings.trees.front().find({1, 1}));
    EXPECT_FALSE(readings.trees.front().find({1, 6})); // two keys
    EXPECT_EQ(tree_readings(skewed.plan, {}).passes,
              (std::vector{PassReading::digits, PassReading::digits}));
}

TEST(TreeReadings, CountEachSourceByTheChildrenOfEachNode) {
    Skewed skewed;
    kernels::DigitTree tree({32, 8});
    ASSERT_TRUE(tree.add({1, 1}));
    CountedTree const all = counted(std::move(tree), skewed.plan, skewed.source);
    std::size_t const row = all.tree.entries();
    ASSERT_EQ(all.counts.size(), 2 * row);
    // The first 502 keys have 50 second digits, plus two keys of the next.
    EXPECT_EQ(all.counts[all.tree.entry(0, 1)], 502U);
    EXPECT_EQ(all.counts[row + all.tree.entry(0, 1)], 138U);
    EXPECT_EQ(all.counts[all.tree.entry(1, 50)], 2U);
    EXPECT_EQ(all.counts[row + all.tree.entry(1, 50)], 8U);
    EXPECT_EQ(all.counts[row + all.tree.entry(0, 7)], 2U);
}

} // namespace
} // namespace keyswap::simulator
