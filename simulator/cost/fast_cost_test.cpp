#include "simulator/cost/fast_cost.hpp"

#include "simulator/cost/device_profile.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

/// A memory that copies 100 GB/s, each byte read and written, and moves scattered runs at half of
/// the 200 GB/s that this makes. Atomics cost nothing.
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

constexpr std::uint64_t tile_keys = 12'288; ///< of 32 bits: 48 KiB
constexpr std::uint64_t tiles = 1000;

double step_us(double digits_present) {
    DeviceProfile const profile = slow_device();
    KernelCost const cost =
        FastKernels(profile).unstable_step(sizeof(std::uint32_t),
                                           tiles * tile_keys,
                                           BlockSpread{1.0 / digits_present, digits_present});
    return to_seconds(cost.duration) * 1e6;
}

TEST(FastCost, ShortRunsMoveAtTheRateOfAStep) {
    // 48 KiB read and written, and a sector of 32 bytes for each of 64 runs of 768 bytes.
    EXPECT_NEAR(step_us(64.0), tiles * (2 * 49'152 + 64 * 32) / 100e3, 0.01);
}

TEST(FastCost, RunsOfManyPagesComeNearTheRateOfACopy) {
    // One of the 48 pages of a tile is opened for its sake.
    EXPECT_NEAR(step_us(1.0), tiles * (2 * 49'152 + 32) / 200e3 * (1.0 + 1.0 / 48.0), 0.01);
    EXPECT_LT(step_us(4.0), step_us(8.0));
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

} // namespace
} // namespace keyswap::simulator
