#include "simulator/cost/sort_law.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

RateProfile two_cores_of_1_GHz() {
    RateProfile profile;
    profile.cores = 2.0;
    profile.clock_GHz = 1.0;
    return profile;
}

TEST(SortLaw, RadixSortsTakeASlicePerDigitAndMergeSortsADoublingEach) {
    RateProfile const profile = two_cores_of_1_GHz();
    SortLaw law;
    law.cycles = 10.0;
    law.digit_bits = 8.0;
    law.launch_us = 500.0;
    // 0.5 ms, and 1e6 keys * 4 digits * 10 cycles / 2e9 cycles a second.
    EXPECT_DOUBLE_EQ(sort_law_time(profile, law, 1'000'000, 4, 0).total_ms(), 0.5 + 20.0);
    law.digit_bits = 0.0;
    // 2^20 keys * 20 doublings * 10 cycles / 2e9.
    EXPECT_DOUBLE_EQ(sort_law_time(profile, law, 1 << 20, 4, 0).total_ms(), 0.5 + 1.048576 * 100.0);
    EXPECT_DOUBLE_EQ(sort_law_time(profile, law, 1, 4, 0).total_ms(), 0.5);
}

TEST(SortLaw, WiderKeysTakeMoreStepsAndLongerOnes) {
    RateProfile const profile = two_cores_of_1_GHz();
    SortLaw law;
    law.cycles = 10.0;
    law.digit_bits = 8.0;
    double const narrow_ms = sort_law_time(profile, law, 1000, 4, 0).total_ms();
    auto const times = [&](int key_bytes, int value_bytes) {
        return sort_law_time(profile, law, 1000, key_bytes, value_bytes).total_ms() / narrow_ms;
    };
    EXPECT_DOUBLE_EQ(times(8, 0), 2.0); // limited by computation: the number of steps
    law.moves = 0.5;
    EXPECT_DOUBLE_EQ(times(8, 0), 2.0 * 1.5);
    EXPECT_DOUBLE_EQ(times(16, 0), 4.0 * 2.5);
    law.moves = 0.0;
    law.bound_bytes = 6.0; // memory moves 6 bytes while a step computes
    EXPECT_DOUBLE_EQ(times(8, 0), 2.0 * 8.0 / 6.0);
    EXPECT_DOUBLE_EQ(times(4, 0), 1.0);
    EXPECT_DOUBLE_EQ(times(4, 4), 8.0 / 6.0);
}

TEST(SortLaw, KeysThatTheCacheHoldsDoNotSpill) {
    RateProfile const profile = two_cores_of_1_GHz();
    SortLaw law;
    law.cycles = 10.0;
    law.digit_bits = 8.0;
    law.spill_cycles = 6.0;
    law.cache_MB = 8.0;
    double const per_key = 4.0 / 2e9 * 1e3;
    EXPECT_DOUBLE_EQ(sort_law_time(profile, law, 1'000'000, 4, 0).total_ms(), 1e6 * 10.0 * per_key);
    // The cache holds half of the 16 MB of input and output.
    EXPECT_DOUBLE_EQ(sort_law_time(profile, law, 2'000'000, 4, 0).total_ms(), 2e6 * 13.0 * per_key);
}

} // namespace
} // namespace keyswap::simulator
