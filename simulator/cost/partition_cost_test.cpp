#include "simulator/cost/partition_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace keyswap::simulator {
namespace {

/// A byte takes 10 ps; all other costs are 0 until a test sets them.
RateProfile plain() {
    RateProfile profile;
    profile.bandwidth_GBps = 100.0;
    profile.partition.emplace();
    profile.partition->direct_tile_keys = 32.0;
    profile.partition->warp_tile_keys = 128.0;
    profile.partition->block_tile_keys = 1024.0;
    profile.partition->shared_KiB = 1024.0;
    return profile;
}

PartitionLoad load_of(std::string const& method, std::uint32_t buckets) {
    PartitionLoad load;
    load.method = method;
    load.buckets = buckets;
    load.key_count = 1'000'000'000; // a picosecond per key is a millisecond in total
    return load;
}

TEST(PartitionCost, WithoutAnythingComputedBytesDecide) {
    RateProfile const profile = plain();
    auto const times = multisplit_cost(profile, load_of("block", 32));
    ASSERT_TRUE(times);
    EXPECT_DOUBLE_EQ(times->pre_scan_ms, 40.0);  // 4 bytes read
    EXPECT_DOUBLE_EQ(times->post_scan_ms, 80.0); // 4 bytes read and written
    // 32 counters of 4 bytes, read and written, for each 1,024 keys.
    EXPECT_DOUBLE_EQ(times->scan_ms, 32.0 * 8.0 / 1024.0 * 10.0);
    PartitionLoad pairs = load_of("block", 32);
    pairs.value_bytes = 4;
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, pairs)->pre_scan_ms, 40.0);
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, pairs)->post_scan_ms, 160.0);
}

TEST(PartitionCost, WhatIsComputedHidesInPartBehindTheMemory) {
    RateProfile profile = plain();
    profile.partition->vote_ps = 6.0; // 5 rounds for 32 buckets
    auto const times = multisplit_cost(profile, load_of("warp", 32));
    EXPECT_DOUBLE_EQ(times->pre_scan_ms, std::hypot(40.0, 30.0));
    EXPECT_DOUBLE_EQ(times->post_scan_ms, std::hypot(80.0, 30.0));
    profile.partition->vote_ps = 0.0;
    profile.partition->divide_ps = 30.0;
    PartitionLoad load = load_of("warp", 32);
    load.rule = "delta";
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, load)->pre_scan_ms, std::hypot(40.0, 30.0));
    // The rule is evaluated again if keys were ordered in between.
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, load)->post_scan_ms, std::hypot(80.0, 60.0));
    load.method = "direct";
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, load)->post_scan_ms, std::hypot(80.0, 30.0));
}

TEST(PartitionCost, BetweenBarriersABlockAloneHidesNothing) {
    RateProfile profile = plain();
    profile.partition->block_ps = 60.0;
    PartitionLoad const load = load_of("block", 2);
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, load)->post_scan_ms, std::hypot(80.0, 60.0));
    // A tile of 1,024 keys of 4 bytes, and ten counters of each of 2 buckets.
    profile.partition->shared_KiB = (4096.0 + 2 * 10 * 4) / 1024.0;
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, load)->post_scan_ms, 80.0 + 60.0);
    profile.partition->shared_KiB *= 8.0; // as many blocks as threads allow
    EXPECT_DOUBLE_EQ(multisplit_cost(profile, load)->post_scan_ms, std::hypot(80.0, 60.0));
    PartitionLoad pairs = load;
    pairs.value_bytes = 4; // 160 for memory; four blocks, as tiles are twice as large
    double const exponent = 1.0 + 3.0 / 7.0;
    EXPECT_NEAR(multisplit_cost(profile, pairs)->post_scan_ms,
                std::pow(std::pow(160.0, exponent) + std::pow(60.0, exponent), 1.0 / exponent),
                1e-9);
}

TEST(PartitionCost, RunsGrowFewerWithTheTileAndTheSkew) {
    RateProfile profile = plain();
    profile.partition->run_ps = 64.0;
    double const direct = multisplit_cost(profile, load_of("direct", 2))->post_scan_ms;
    EXPECT_NEAR(direct, 80.0 + 2.0 / 32.0 * 64.0, 1e-6);
    EXPECT_NEAR(multisplit_cost(profile, load_of("warp", 2))->post_scan_ms, 80.0 + 1.0, 1e-6);
    PartitionLoad skewed = load_of("block", 256);
    double const uniform_ms = multisplit_cost(profile, skewed)->post_scan_ms;
    skewed.distribution = "binomial";
    EXPECT_LT(multisplit_cost(profile, skewed)->post_scan_ms, uniform_ms);
    skewed.distribution = "zipf";
    EXPECT_FALSE(multisplit_cost(profile, skewed));
}

TEST(PartitionCost, BucketsPresentAreCountedExactly) {
    PartitionLoad load;
    load.buckets = 2;
    EXPECT_DOUBLE_EQ(*buckets_present(load, 1.0), 1.0);
    EXPECT_DOUBLE_EQ(*buckets_present(load, 2.0), 1.5);
    load.distribution = "binomial"; // of two buckets: both have half of the keys
    EXPECT_NEAR(*buckets_present(load, 2.0), 1.5, 1e-12);
    load.buckets = 3; // a quarter, a half, a quarter
    EXPECT_NEAR(*buckets_present(load, 1.0), 1.0, 1e-12);
    EXPECT_NEAR(*buckets_present(load, 2.0), 2.0 * 7.0 / 16.0 + 0.75, 1e-12);
    load.distribution = "alpha-uniform";
    load.parameter = 0.0; // all keys in one bucket
    EXPECT_DOUBLE_EQ(*buckets_present(load, 100.0), 1.0);
}

TEST(PartitionCost, MethodsRefuseMoreBucketsThanTheyTake) {
    RateProfile profile = plain();
    profile.fused.emplace();
    EXPECT_TRUE(multisplit_cost(profile, load_of("direct", 32)));
    EXPECT_FALSE(multisplit_cost(profile, load_of("direct", 33)));
    EXPECT_FALSE(multisplit_cost(profile, load_of("warp", 33)));
    EXPECT_TRUE(multisplit_cost(profile, load_of("block", 256)));
    EXPECT_FALSE(multisplit_cost(profile, load_of("block", 257)));
    EXPECT_FALSE(multisplit_cost(profile, load_of("split1", 3)));
    EXPECT_FALSE(multisplit_cost(profile, load_of("scan-split", 3)));
    EXPECT_TRUE(multisplit_cost(profile, load_of("recursive-split", 3)));
    EXPECT_TRUE(multisplit_cost(profile, load_of("atomic", 512)));
    EXPECT_FALSE(multisplit_cost(profile, load_of("atomic", 513)));
    EXPECT_FALSE(multisplit_cost(profile, load_of("reduced-bit", 2))) << "no library's sort";
    PartitionLoad pairs = load_of("atomic", 2);
    pairs.value_bytes = 4;
    EXPECT_FALSE(multisplit_cost(profile, pairs));
}

TEST(PartitionCost, ALibrarysSortTakesPassesOfEquallyManyBits) {
    RateProfile profile = plain();
    profile.radix.emplace();
    profile.radix->pass_bits = 5.0;
    profile.radix->bandwidth_GBps = 100.0;
    PartitionLoad const load = load_of("cub-radix", 2);
    EXPECT_DOUBLE_EQ(*radix_sort_ms(profile, load, 5), 120.0); // 4 bytes read twice, written once
    EXPECT_DOUBLE_EQ(*radix_sort_ms(profile, load, 6), 240.0);
    EXPECT_DOUBLE_EQ(*radix_sort_ms(profile, load, 32), 7.0 * 120.0);
    profile.radix->digit_ps = 90.0 / 8.0; // 6 bits are two passes of 3
    EXPECT_DOUBLE_EQ(*radix_sort_ms(profile, load, 6), 2.0 * std::hypot(120.0, 90.0));
    EXPECT_EQ(multisplit_sort_steps(32, 7), (std::vector<int>{7, 7, 7, 7, 4}));
    EXPECT_EQ(multisplit_sort_steps(32, 8), (std::vector<int>{8, 8, 8, 8}));
}

TEST(PartitionCost, ABitSplitSortsItsTilesBitByBit) {
    RateProfile profile = plain();
    PartitionLoad load = load_of("bit-split", 8);
    EXPECT_FALSE(multisplit_cost(profile, load)); // not measured for other rules
    profile.bit_split = BitSplitCosts{8.0, 30.0, 5.0, 2000.0, 3.0, 10.0, 20.0};
    auto const times = multisplit_cost(profile, load);
    ASSERT_TRUE(times);
    // A key of 4 bytes takes 40 to read and 80 to move; a tile of 8 keys has 8 counters.
    EXPECT_DOUBLE_EQ(times->pre_scan_ms, std::hypot(40.0, 30.0) + 5.0);
    EXPECT_DOUBLE_EQ(times->scan_ms, 2.0 + 3.0);
    EXPECT_DOUBLE_EQ(times->post_scan_ms, std::hypot(80.0, 10.0 + 3.0 * 20.0));
    load.rule = "splitters";
    EXPECT_FALSE(multisplit_cost(profile, load));
}

TEST(PartitionCost, AHistogramIsCountingAlone) {
    RateProfile profile = plain();
    profile.partition->search_ps = 6.0;
    PartitionLoad load = load_of("block", 32);
    load.rule = "even";
    EXPECT_DOUBLE_EQ(*histogram_cost_ms(profile, load), 40.0);
    load.rule = "splitters";
    EXPECT_DOUBLE_EQ(*histogram_cost_ms(profile, load), std::hypot(40.0, 30.0));
    load.method = "cub-histogram";
    EXPECT_FALSE(histogram_cost_ms(profile, load));
}

} // namespace
} // namespace keyswap::simulator
