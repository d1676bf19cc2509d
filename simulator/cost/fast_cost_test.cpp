#include "simulator/cost/fast_cost.hpp"

#include "simulator/cost/device_profile.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

/// HBM that copies 100 GB/s, each byte read and written, and moves scattered runs at half of the
/// resulting 200 GB/s. Atomics are free.
DeviceProfile slow_device() {
    auto profile = load_device_profile("h200");
    EXPECT_TRUE(profile);
    profile->local_copy_GBps = 100.0;
    profile->fast->read_GBps = 200.0;
    profile->fast->step_GBps = 100.0;
    profile->fast->conflict_ps = 0.0;
    profile->fast->label_ps = 1.0;
    profile->fast->walk_ps = 2.0;
    return *profile;
}

constexpr std::uint64_t tile_keys = 14'336; ///< of 32 bits: 56 KiB
constexpr std::uint64_t tiles = 1000;
constexpr RecordBytes u32{4, 0};

BlockSpread even(double digits) {
    return {1.0 / digits, digits, 1.0 / digits};
}

double step_us(double digits_present) {
    DeviceProfile const profile = slow_device();
    KernelCost const cost =
        FastKernels(profile).unstable_step(u32, tiles * tile_keys, even(digits_present));
    return to_seconds(cost.duration) * 1e6;
}

TEST(FastCost, ShortRunsMoveAtTheRateOfAStep) {
    // 56 KiB read and written, and a line of 128 bytes for each of 64 runs of 896 bytes.
    EXPECT_NEAR(step_us(64.0), tiles * (2 * 57'344 + 64 * 128) / 100e3, 0.01);
}

TEST(FastCost, RunsOfManyPagesComeNearTheRateOfACopy) {
    // Each run opens one of a tile's 56 pages.
    EXPECT_NEAR(step_us(1.0), tiles * (2 * 57'344 + 128) / 200e3 * (1.0 + 1.0 / 56.0), 0.01);
    EXPECT_LT(step_us(4.0), step_us(8.0));
}

TEST(FastCost, ValuesHaveRunsOfTheirOwnAndWaitForTheirKeys) {
    DeviceProfile profile = slow_device();
    profile.fast->step_value_ps = 5.0;
    auto const us = [&](RecordBytes record, std::uint64_t keys) {
        return to_seconds(FastKernels(profile).unstable_step(record, keys, even(64.0)).duration) *
               1e6;
    };
    // A tile has 16,384 pairs of 4 B, 8,192 of wider ones, in two runs per digit.
    auto const wanted_us = [](double of_tile, double width) {
        double const keys = tiles * tile_keys;
        return keys / of_tile * (2 * of_tile * width + 2 * 64 * 128) / 100e3 + keys * 5e-6;
    };
    EXPECT_NEAR(us({4, 4}, tiles * tile_keys), wanted_us(16'384, 8), 0.1);
    EXPECT_NEAR(us({4, 8}, tiles * tile_keys), wanted_us(8'192, 12), 0.1);
}

/// One H100, 2026-11-25, benchmark of the kernel alone; see FIGURES.md.
TEST(FastCost, StableStepsOfPairsMoveTheirBytesAndALineADigit) {
    DeviceProfile profile = slow_device();
    profile.fast->stable_step32_ps = 7.0;
    FastKernels const kernels(profile);
    auto const us = [&](RecordBytes record, std::uint64_t keys, int bits) {
        return to_seconds(kernels.stable_step(record, keys, bits).duration) * 1e6;
    };
    // A tile has 384 * 23 pairs of 4 B, whose keys and values have 256 runs each; one of 9 bits has
    // 512 * 17, with 512.
    EXPECT_NEAR(us({4, 4}, 8'832'000, 8), (8'832'000 * 16.0 + 1'000 * 512 * 128.0) / 100e3, 0.01);
    EXPECT_NEAR(us({4, 4}, 8'704'000, 9), (8'704'000 * 16.0 + 1'000 * 1'024 * 128.0) / 100e3, 0.01);
    EXPECT_EQ(us({4, 4}, 8'832'000, 3), us({4, 4}, 8'832'000, 8)); // the same number of counters
    EXPECT_NEAR(us(u32, 1'000'000, 8), 7.0, 0.01);
}

/// One H100, kernels/FIGURES.md, 2026-11-25: scatters of 5e8 and 2.5e8 pairs on each of two.
TEST(FastCost, StableStepsOfPairsAreWithinATenthOfTheMeasuredOnes) {
    auto const h100 = load_device_profile("h100");
    ASSERT_TRUE(h100);
    FastKernels const kernels(*h100);
    auto const ms = [&](RecordBytes record, std::uint64_t keys) {
        return to_milliseconds(kernels.stable_step(record, keys).duration);
    };
    EXPECT_NEAR(ms({4, 4}, 500'000'000) / 4.00, 1.0, 0.1);
    EXPECT_NEAR(ms({4, 8}, 250'000'000) / 2.90, 1.0, 0.1);
    EXPECT_NEAR(ms({8, 4}, 250'000'000) / 2.91, 1.0, 0.1);
    EXPECT_NEAR(ms({8, 8}, 250'000'000) / 3.78, 1.0, 0.1);
}

TEST(FastCost, StableLeavesBringPlacesInOrderAsWell) {
    DeviceProfile profile = slow_device();
    profile.fast->leaf_bin_ps = 3.0;
    FastKernels const kernels(profile);
    auto const us = [&](RecordBytes record, Stability ties) {
        return to_seconds(kernels.leaf_bins(record, 1'000'000, ties).duration) * 1e6;
    };
    // 8 or 16 MB at 100 GB/s and 3 us; stable: 1.5 or 2 times the 3 us.
    EXPECT_NEAR(us({4, 4}, Stability::unstable), 80.0 + 3.0, 0.01);
    EXPECT_NEAR(us({4, 4}, Stability::stable), 80.0 + 4.5, 0.01);
    EXPECT_NEAR(us({8, 8}, Stability::stable), 160.0 + 6.0, 0.01);
}

TEST(FastCost, StepsOfEightAndNineBitsAreWithinATenthOfTheMeasuredOnes) {
    struct Measured {
        RecordBytes record;
        std::uint64_t keys;
        double eight_ms;
        double nine_ms;
    };
    auto const h100 = load_device_profile("h100");
    ASSERT_TRUE(h100);
    for (Measured const& run : {Measured{{4, 0}, 1'000'000'000, 3.56, 4.46},
                                Measured{{8, 0}, 1'000'000'000, 6.55, 8.02},
                                Measured{{4, 4}, 500'000'000, 3.57, 4.08}}) {
        auto const ms = [&](int bits) {
            KernelCost const cost = FastKernels(*h100).unstable_step(run.record, run.keys, bits);
            return to_milliseconds(cost.duration);
        };
        EXPECT_NEAR(ms(8) / run.eight_ms, 1.0, 0.1) << run.record.key << '+' << run.record.value;
        EXPECT_NEAR(ms(9) / run.nine_ms, 1.0, 0.1) << run.record.key << '+' << run.record.value;
    }
}

TEST(FastCost, AtomicsOfAWarpOnOneCounterAreAddedUpWhereEightKeysMeet) {
    DeviceProfile profile = slow_device();
    profile.fast->conflict_ps = 1000.0;
    auto const ms = [&](double share) {
        // One digit with that share; all others have few keys.
        BlockSpread const spread{share * share, 20.0, share};
        return to_milliseconds(FastKernels(profile).unstable_step(u32, 1'000'000, spread).duration);
    };
    EXPECT_NEAR(ms(0.05), 1.0 + 31.0 * 0.0025, 0.001); // warps with 8 of 32 such keys: 3 in 10,000
    EXPECT_LT(ms(0.5), 0.1);                           // 99 in 100
}

TEST(FastCost, KeysOnOnePathOfATreeWalkForNothing) {
    DeviceProfile const profile = slow_device();
    FastKernels const kernels(profile);
    auto const label_us = [&](double concentration) {
        constexpr std::uint64_t keys = 1'000'000;
        return to_seconds(kernels.label(sizeof(std::uint32_t), keys, 8, concentration).duration) *
               1e6;
    };
    EXPECT_NEAR(label_us(0.0), 20.0 + 1.0 + 8 * 2.0, 1e-3); // read 4 MB, write labels, 8 levels
    EXPECT_NEAR(label_us(1.0), 20.0 + 1.0, 1e-3);
}

TEST(FastCost, LevelsOfATreeHideBehindTheReading) {
    DeviceProfile const profile = slow_device();
    FastKernels const kernels(profile);
    constexpr std::uint64_t keys = 1'000'000;
    auto const tree_us = [&](std::size_t key_bytes, int depth) {
        return to_seconds(kernels.tree_histogram(key_bytes, keys, depth).duration) * 1e6;
    };
    EXPECT_NEAR(tree_us(4, 4), to_seconds(kernels.histogram(4, keys).duration) * 1e6, 1e-3);
    EXPECT_NEAR(tree_us(4, 20), 20 * 2.0, 1e-3);
    EXPECT_NEAR(tree_us(8, 20), 20 * 2 * 2.0, 1e-3);
}

} // namespace
} // namespace keyswap::simulator
