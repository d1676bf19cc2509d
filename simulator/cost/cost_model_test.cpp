#include "simulator/cost/cost_model.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/cost/host_profile.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace keyswap::simulator {
namespace {

DeviceProfile simple_profile() {
    DeviceProfile profile;
    profile.key32 = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    profile.sort_pass_bits = 8.0;
    profile.local_copy_GBps = 2000.0;
    return profile;
}

TEST(CostModel, AHistogramReadsEveryKeyOnce) {
    // 1e9 keys * 1 ps = 1 ms
    EXPECT_EQ(histogram_cost(simple_profile(), 4, 1'000'000'000).duration, milliseconds(1));
    EXPECT_EQ(histogram_cost(simple_profile(), 4, 10).hbm_bytes, 40U);
    EXPECT_EQ(histogram_cost(simple_profile(), 4, 0).duration, SimTime{});
}

TEST(CostModel, ASortTakesAPassMoreForOneBitBeyondTheDigit) {
    // 1e9 keys * (4 + 3 * 5) ps at 24 bits, (4 + 4 * 5) ps at 25
    EXPECT_EQ(sort_cost(simple_profile(), {4, 0}, 1'000'000'000, 24).duration, milliseconds(19));
    EXPECT_EQ(sort_cost(simple_profile(), {4, 0}, 1'000'000'000, 25).duration, milliseconds(24));
    EXPECT_EQ(sort_cost(simple_profile(), {4, 0}, 1'000'000'000, 0).duration, SimTime{});
}

TEST(CostModel, KeysThatShareTheirDigitsDoNotMeetInBanks) {
    DeviceProfile profile = simple_profile();
    profile.sort_conflict_ps = 1.5;
    auto const sort = [&profile](double concentration) {
        return whole_sort_cost(profile, {4, 0}, 1'000'000'000, 24, concentration).duration;
    };
    EXPECT_EQ(sort(0.0), milliseconds(19));
    EXPECT_EQ(sort(2.0), milliseconds(16)); // two of three passes
    profile.sort_conflict_ps = 1e6;
    EXPECT_EQ(sort(3.0), milliseconds(4)); // no pass takes less than no time
}

TEST(CostModel, ValuesAreMovedByAPassAtTheRateOfACopy) {
    // 8 bytes at 2,000 GB/s take 4 ps per pass, in addition to 4 + 3 * 5 ps of the key.
    KernelCost const cost = sort_cost(simple_profile(), {4, 8}, 1'000'000'000, 24);
    EXPECT_EQ(cost.duration, milliseconds(19 + 3 * 4));
    EXPECT_EQ(cost.hbm_bytes, 1'000'000'000ULL * (4 + 3 * 2 * 12)); // first pass: counting
}

TEST(CostModel, AScatterPaysForHalfEmptyRowsAndForConflicts) {
    // 384 full rows a block. One digit: 2 * (1 + 1/768) + 3 = 5.0026 ps a key.
    KeyWidthCosts const costs = simple_profile().key32;
    auto const equal = scatter_cost(simple_profile(), {4, 0}, 1'000'000'000, {1.0, 1.0});
    EXPECT_EQ(equal.duration,
              from_seconds(1e-3 * (costs.scatter_row_ps * (1.0 + 1.0 / 768.0) + 3.0)));
    // 256 digits: 2 * (1 + 256/768) + 3/256 ps a key.
    auto const uniform =
        scatter_cost(simple_profile(), {4, 0}, 1'000'000'000, {1.0 / 256.0, 256.0});
    EXPECT_EQ(uniform.duration, from_seconds(1e-3 * (2.0 * (1.0 + 256.0 / 768.0) + 3.0 / 256.0)));
}

TEST(CostModel, AtLowClocksAScatterIsAsSlowAsItsConflictsMakeIt) {
    DeviceProfile profile = simple_profile();
    profile.cold_memory = 1.1;
    profile.cold_compute = 1.3;
    auto const slowdown = [&](double concentration) {
        return scatter_cost(profile, {4, 0}, 1000, {concentration, 1.0}).cold_slowdown;
    };
    EXPECT_DOUBLE_EQ(slowdown(0.0), 1.1);
    EXPECT_DOUBLE_EQ(slowdown(0.05), 1.2);
    EXPECT_DOUBLE_EQ(slowdown(0.1), 1.3);
    EXPECT_DOUBLE_EQ(slowdown(1.0), 1.3);
}

TEST(CostModel, ACpuSortGrowsWithTheLogarithmAtMost) {
    CpuSortCost cost;
    cost.base_ms = 10.0;
    cost.key_ps = 500.0;
    cost.level_ps = 50.0;
    // 2^20 keys: 10 ms and 1,048,576 * (500 + 20 * 50) ps
    EXPECT_NEAR(cpu_sort_seconds(cost, 1 << 20, 4), 0.010 + 1'048'576 * 1.5e-9, 1e-12);
    EXPECT_NEAR(cpu_sort_seconds(cost, 1 << 20, 8), 0.010 + 1'048'576 * 3.0e-9, 1e-12);
    EXPECT_EQ(cpu_sort_seconds(cost, 0, 4), 0.010);
    // A fourth pass for those of the 2^24 buckets with more than 64 keys: none if the mean is 16,
    // half if it is 64.5, all if it is 256, in the same time for any number of keys.
    CpuSortCost with_pass = cost;
    with_pass.last_pass_ms = 100.0;
    for (auto const& [keys_per_bucket, share] :
         {std::pair{16.0, 0.0}, std::pair{64.5, 0.5}, std::pair{256.0, 1.0}, std::pair{1e4, 1.0}}) {
        auto const keys = static_cast<std::uint64_t>(keys_per_bucket * (1 << 24));
        EXPECT_NEAR(cpu_sort_seconds(with_pass, keys, 4) - cpu_sort_seconds(cost, keys, 4),
                    0.1 * share,
                    1e-6)
            << keys_per_bucket;
    }
}

TEST(CostModel, AHostProfileSaysWhatItsFileSays) {
    // All numbers differ, so that none can be confused with another.
    auto const profile = parse_host_profile(R"(
name = "two cores"
platforms = ["here", "there"]
[merge]
byte_ps = 11.0
base_ms = 12.0
origin = "assumed: a test"
[[sort]]
algorithm = "slow"
threads = 4
base_ms = 13.0
key_ps = 14.0
level_ps = 15.0
last_pass_ms = 16.0
measured_keys = [1e9, 1e6]
origin = "assumed: another"
[[sort]]
algorithm = "slow"
threads = 2
base_ms = 17.0
key_ps = 18.0
level_ps = 19.0
last_pass_ms = 20.0
measured_keys = [1e6, 1e9]
origin = "assumed: a third"
)",
                                            "test");
    ASSERT_TRUE(profile) << profile.error().message();
    EXPECT_EQ(profile->name, "two cores");
    EXPECT_EQ(profile->platforms, (std::vector<std::string>{"here", "there"}));
    EXPECT_EQ(profile->merge_byte_ps, 11.0);
    EXPECT_EQ(profile->merge_base_ms, 12.0);
    EXPECT_EQ(profile->merge_origin, "assumed: a test");
    ASSERT_EQ(profile->sorts.size(), 2U);
    for (auto const& [threads, first] : {std::pair{4, 13.0}, std::pair{2, 17.0}}) {
        auto const cost = cpu_sort_cost(*profile, "slow", threads);
        ASSERT_TRUE(cost);
        EXPECT_EQ(cost->threads, threads);
        EXPECT_EQ(cost->base_ms, first);
        EXPECT_EQ(cost->key_ps, first + 1);
        EXPECT_EQ(cost->level_ps, first + 2);
        EXPECT_EQ(cost->last_pass_ms, first + 3);
        EXPECT_EQ(cost->measured_keys, (std::vector<std::uint64_t>{1'000'000, 1'000'000'000}));
        EXPECT_EQ(octaves_from_measured(*cost, 4'000'000'000), 2.0);
        EXPECT_EQ(octaves_from_measured(*cost, 1'000'000), 1.0);
    }
    EXPECT_EQ(cpu_sort_cost(*profile, "slow", std::nullopt)->threads, 4);
    EXPECT_EQ(cpu_sort_cost(*profile, "slow", 3)->threads, 2);
    EXPECT_EQ(cpu_sort_cost(*profile, "slow", 1)->base_ms, 17.0);
    EXPECT_EQ(cpu_sort_cost(*profile, "slow", 1)->key_ps, 2 * 18.0);
    EXPECT_FALSE(cpu_sort_cost(*profile, "fast", 3));
}

model::BucketHistogram histogram_of(std::vector<std::vector<std::uint64_t>> const& rows) {
    model::BucketHistogram histogram(
        {}, static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(rows[0].size()));
    for (std::uint32_t gpu = 0; gpu < rows.size(); ++gpu) {
        histogram.assign_row(GpuId{gpu}, histogram.add_row(rows[gpu]));
    }
    return histogram;
}

model::Plan plan_with(std::vector<std::vector<std::uint64_t>> const& rows) {
    model::Plan plan;
    plan.config.gpu_count = static_cast<std::uint32_t>(rows.size());
    plan.passes.resize(1);
    plan.passes[0].histograms.push_back(histogram_of(rows));
    return plan;
}

TEST(CostModelSkew, PartsThatLookLikeTheWholeHaveNoOrder) {
    EXPECT_DOUBLE_EQ(positional_order(plan_with({{5, 5, 5, 5}, {5, 5, 5, 5}})), 0.0);
}

TEST(CostModelSkew, DisjointPartsAreFullyOrdered) {
    // c(2) = 1/2, c(1) = 1/4: log 2 / log 2
    EXPECT_DOUBLE_EQ(positional_order(plan_with({{5, 5, 0, 0}, {0, 0, 5, 5}})), 1.0);
}

TEST(CostModelSkew, ABlockOfOrderedKeysHoldsOneDigit) {
    auto const histogram = histogram_of({{1'000'000, 1'000'000}});
    BlockSpread const spread = block_spread(histogram, GpuId{0}, 1.0, 12'288);
    EXPECT_DOUBLE_EQ(spread.concentration, 1.0);
    EXPECT_DOUBLE_EQ(spread.digits_present, 1.0);
}

TEST(CostModelSkew, KeysOutOfOrderBringTheirDigitsIntoEveryBlock) {
    auto const histogram = histogram_of({{1'000'000, 1'000'000, 1'000, 1'000}});
    BlockSpread const spread = block_spread(histogram, GpuId{0}, 1.0, 12'288);
    // One digit in order, and two scattered digits with 6 keys per block on average.
    EXPECT_NEAR(spread.digits_present, 1.0 + 2.0 * (1.0 - std::exp(-6.138)), 0.003);
}

TEST(CostModelSkew, ABlockOfMixedKeysLooksLikeItsGpu) {
    auto const histogram = histogram_of({{750'000, 250'000, 0, 0}});
    BlockSpread const spread = block_spread(histogram, GpuId{0}, 0.0, 12'288);
    EXPECT_DOUBLE_EQ(spread.concentration, 0.75 * 0.75 + 0.25 * 0.25);
    EXPECT_NEAR(spread.digits_present, 2.0, 1e-9);
}

} // namespace
} // namespace keyswap::simulator
