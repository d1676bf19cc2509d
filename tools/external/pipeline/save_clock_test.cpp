#include "tools/external/pipeline/save_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace keyswap::tools {

TEST(SaveClock, WaitsNineTimesAsLongAsTheLastSaveTook) {
    SaveClock clock;
    EXPECT_TRUE(clock.is_due());
    auto const took = std::chrono::milliseconds(100);
    EXPECT_EQ(clock.measure([&] {
        std::this_thread::sleep_for(took);
        return 7;
    }),
              7);
    EXPECT_FALSE(clock.is_due());
    std::this_thread::sleep_for(12 * took);
    EXPECT_TRUE(clock.is_due());
}

} // namespace keyswap::tools
