#include "model/sorts/rmg/planner.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace keyswap::model {
namespace {

SortConfig config_of(std::uint64_t key_count, std::uint32_t gpu_count) {
    SortConfig config;
    config.key_count = key_count;
    config.gpu_count = gpu_count;
    return config;
}

Plan plan_of(std::vector<std::uint64_t> const& images, std::uint32_t gpu_count) {
    SortConfig const config = config_of(images.size(), gpu_count);
    PlainSource source(images);
    return plan_rmg_sort(config, source);
}

/// Runs of equal keys, each given as {count, image}.
std::vector<std::uint64_t>
runs(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> counted) {
    std::vector<std::uint64_t> images;
    for (auto const& [count, image] : counted) {
        images.insert(images.end(), count, image);
    }
    return images;
}

std::vector<std::uint64_t> repeated(std::vector<std::uint64_t> const& part, int times) {
    std::vector<std::uint64_t> images;
    for (int i = 0; i < times; ++i) {
        images.insert(images.end(), part.begin(), part.end());
    }
    return images;
}

std::vector<std::uint64_t> owned_counts(Plan const& plan) {
    std::vector<std::uint64_t> counts;
    for (OwnershipRecord const& ownership : plan.ownership) {
        counts.push_back(ownership.count);
    }
    return counts;
}

PlacementState state_of(Plan const& plan, BucketPrefix bucket) {
    for (PassPlan const& pass : plan.passes) {
        for (PlannedBucket const& planned : pass.buckets) {
            if (planned.placement.bucket == bucket) {
                return planned.placement.state;
            }
        }
    }
    ADD_FAILURE() << "no bucket " << bucket.pass << ":" << bucket.prefix;
    return PlacementState::placed;
}

// RMG paper, Fig. 1: four GPUs, 32-bit keys, 8-bit digits. After pass 1, bucket [0] holds more than
// half of all keys and spans GPUs 0 to 2; pass 2 splits it into [0:0] to [0:3]; [0:2] exceeds its
// GPU's chunk by less than the tolerance, so that no third pass is needed.
TEST(Planner, FigureOneBeyondTheToleranceIsRefinedToTheLastPass) {
    std::uint64_t const second_digit = 1U << 16;
    std::uint64_t const first_digit = 1U << 24;
    auto const chunk = runs({{252, 0 * second_digit},
                             {247, 1 * second_digit},
                             {1, 2 * second_digit},
                             {150, 3 * second_digit},
                             {60, 1 * first_digit},
                             {40, 2 * first_digit},
                             {250, 3 * first_digit}});
    Plan const plan = plan_of(repeated(chunk, 4), 4);

    ASSERT_EQ(plan.chunks.size(), 1000U);
    EXPECT_EQ(plan.passes[0].buckets.size(), 4U);
    EXPECT_EQ(state_of(plan, {1, 0}), PlacementState::spanning);
    EXPECT_EQ(state_of(plan, {1, 3}), PlacementState::placed);
    // [0:0] is [0, 1008): 8 keys beyond the border exceed E = 5. All its keys are equal, so it is
    // refined until the last pass and then cut.
    EXPECT_EQ(state_of(plan, {2, 0}), PlacementState::spanning);
    ASSERT_EQ(plan.pass_count(), 4);
    EXPECT_EQ(state_of(plan, {4, 0}), PlacementState::cut);
}

TEST(Planner, FigureOneWithinTheToleranceNeedsTwoPasses) {
    std::uint64_t const second_digit = 1U << 16;
    std::uint64_t const first_digit = 1U << 24;
    auto const chunk = runs({{251, 0 * second_digit},
                             {249, 1 * second_digit},
                             {1, 2 * second_digit},
                             {149, 3 * second_digit},
                             {60, 1 * first_digit},
                             {40, 2 * first_digit},
                             {250, 3 * first_digit}});
    Plan const plan = plan_of(repeated(chunk, 4), 4);

    ASSERT_EQ(plan.pass_count(), 2);
    // [0:0] = [0, 1004) exceeds its chunk by 4 <= 5; [0:1] = [1004, 2000); [0:2] = [2000, 2004).
    EXPECT_EQ(owned_counts(plan), (std::vector<std::uint64_t>{1004, 996, 1000, 1000}));
    std::vector<BucketPrefix> prefixes;
    for (PlannedBucket const& bucket : plan.buckets) {
        prefixes.push_back(bucket.placement.bucket);
    }
    EXPECT_EQ(prefixes,
              (std::vector<BucketPrefix>{{2, 0}, {2, 1}, {2, 2}, {2, 3}, {1, 1}, {1, 2}, {1, 3}}));
}

// RMG paper, Fig. 2: buckets [0] to [3], one per GPU; every GPU sends three parts and keeps one.
TEST(Planner, FigureTwoSendsEveryBucketToItsGpuInSourceOrder) {
    auto const chunk = runs({{25, 0}, {25, 1U << 24}, {25, 2U << 24}, {25, 3U << 24}});
    Plan const plan = plan_of(repeated(chunk, 4), 4);
    ASSERT_EQ(plan.pass_count(), 1);
    std::vector<CopyRecord> expected;
    for (std::uint32_t source = 0; source < 4; ++source) {
        for (std::uint32_t destination = 0; destination < 4; ++destination) {
            expected.push_back(
                {GpuId{source}, 25ULL * destination, GpuId{destination}, 25ULL * source, 25});
        }
    }
    EXPECT_EQ(merged_copies(plan), expected);
}

TEST(Planner, NoKeysNeedNoPassAndNoCopy) {
    Plan const plan = plan_of({}, 4);
    EXPECT_EQ(plan.pass_count(), 0);
    EXPECT_TRUE(plan.buckets.empty());
    EXPECT_TRUE(plan.sort_groups.empty());
    EXPECT_TRUE(merged_copies(plan).empty());
    EXPECT_EQ(owned_counts(plan), (std::vector<std::uint64_t>{0, 0, 0, 0}));
}

TEST(Planner, OneGpuNeedsNoPassAndSortsAllBits) {
    Plan const plan = plan_of({5, 3, 9}, 1);
    EXPECT_EQ(plan.pass_count(), 0);
    EXPECT_EQ(plan.sort_groups, (std::vector<SortGroup>{{GpuId{0}, 0, 3, 32, 1}}));
}

TEST(Planner, FewerKeysThanGpusLeaveTheLastGpusEmpty) {
    Plan const plan = plan_of({7, 1, 4}, 8);
    EXPECT_EQ(owned_counts(plan), (std::vector<std::uint64_t>{1, 1, 1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(plan.pass_count(), 4);
}

TEST(Planner, OneKeyOnManyGpusTakesOnePass) {
    Plan const plan = plan_of({7}, 8);
    EXPECT_EQ(plan.pass_count(), 1);
    EXPECT_EQ(owned_counts(plan).front(), 1U);
}

TEST(Planner, AllKeysEqualAreCutAtTheBordersAfterTheLastPass) {
    Plan const plan = plan_of(std::vector<std::uint64_t>(1000, 42), 4);
    ASSERT_EQ(plan.pass_count(), 4);
    ASSERT_EQ(plan.buckets.size(), 1U);
    EXPECT_EQ(plan.buckets[0].placement.state, PlacementState::cut);
    EXPECT_EQ(owned_counts(plan), (std::vector<std::uint64_t>{250, 250, 250, 250}));
    for (SortGroup const& group : plan.sort_groups) {
        EXPECT_EQ(group.end_bit, 0);
    }
    // The sources already hold their share, so cutting moves no keys.
    std::vector<std::uint64_t> const matrix = transfer_matrix(plan);
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(matrix[i], i % 5 == 0 ? 250U : 0U);
    }
}

TEST(Planner, ALastPassCutFillsDestinationsInAscendingSourceOrder) {
    // GPU 0 holds 100 twos, GPU 1 100 ones: sorted order is ones [0, 100), twos [100, 200).
    auto images = runs({{100, 2}, {60, 1}, {40, 2}});
    Plan const plan = plan_of(images, 2);
    // Twos take [60, 200): they span the border 100, so GPU 0 owns 60 ones and 40 twos.
    EXPECT_EQ(owned_counts(plan), (std::vector<std::uint64_t>{100, 100}));
    EXPECT_EQ(merged_copies(plan),
              (std::vector<CopyRecord>{{GpuId{0}, 0, GpuId{0}, 60, 40},
                                       {GpuId{0}, 40, GpuId{1}, 0, 60},
                                       {GpuId{1}, 0, GpuId{0}, 0, 60},
                                       {GpuId{1}, 60, GpuId{1}, 60, 40}}));
    auto const own_last = [](GpuId source, GpuId destination) {
        return source == destination ? 1U : 0U;
    };
    EXPECT_EQ(merged_copies(plan, own_last),
              (std::vector<CopyRecord>{{GpuId{0}, 40, GpuId{1}, 0, 60},
                                       {GpuId{0}, 0, GpuId{0}, 60, 40},
                                       {GpuId{1}, 0, GpuId{0}, 0, 60},
                                       {GpuId{1}, 60, GpuId{1}, 60, 40}}));
    // Two of these copies, one in each direction, are between GPUs.
    EXPECT_EQ(swap_totals(plan).keys, 120U);
    EXPECT_EQ(swap_totals(plan).copies, 2U);
    // Two buckets on each source; the twos from GPU 0 are cut.
    EXPECT_EQ(pair_totals(plan, SwapCopies::merged),
              (std::vector<PairTotals>{{40, 1}, {60, 1}, {60, 1}, {40, 1}}));
}

TEST(Planner, TotalsOfPairsAreThoseOfTheListsOfCopies) {
    auto images = runs({{50, 0x01000000}, {50, 0x02000000}, {50, 0x02000000}, {50, 0x03000000}});
    Plan const plan = plan_of(images, 2);
    std::vector<PairTotals> listed(4);
    for_each_copy(plan, [&](BucketCopy const& bucket) {
        PairTotals& pair = listed[bucket.copy.source.value * 2 + bucket.copy.destination.value];
        pair.keys += bucket.copy.count;
        pair.copies += 1;
    });
    EXPECT_EQ(pair_totals(plan, SwapCopies::by_bucket), listed);
    // Both buckets of GPU 0 remain adjacent on it: two copies, or one after merging.
    EXPECT_EQ(listed[0], (PairTotals{100, 2}));
    EXPECT_EQ(pair_totals(plan, SwapCopies::merged)[0], (PairTotals{100, 1}));
}

TEST(Planner, TwoValuesMeetInsideOneChunk) {
    Plan const plan = plan_of(repeated({0, 0xffffffff, 0xffffffff}, 400), 3);
    EXPECT_EQ(plan.pass_count(), 4);
    EXPECT_EQ(owned_counts(plan), (std::vector<std::uint64_t>{400, 400, 400}));
}

TEST(Planner, BucketsWithEqualLastDigitsAndDifferentParentsAreDifferent) {
    // Buckets 0 and 1 of pass 1 both span a border, and both have sub-buckets 5 and 6.
    std::uint64_t const second_digit = 1U << 16;
    std::uint64_t const first_digit = 1U << 24;
    auto const chunk = runs({{30, 5 * second_digit},
                             {20, 6 * second_digit},
                             {30, first_digit + 5 * second_digit},
                             {20, first_digit + 6 * second_digit}});
    Plan const plan = plan_of(repeated(chunk, 3), 3);
    EXPECT_EQ(state_of(plan, {2, 0x005}), PlacementState::placed);
    EXPECT_EQ(state_of(plan, {2, 0x105}), PlacementState::spanning);
    EXPECT_EQ(state_of(plan, {2, 0x006}), PlacementState::spanning);
    EXPECT_EQ(state_of(plan, {2, 0x106}), PlacementState::placed);
}

} // namespace
} // namespace keyswap::model
