#include "kernels/device/delay_injection.hpp"

#include "kernels/device/device_buffer.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/device/stream.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace keyswap::kernels {
namespace {

TEST(DelayInjection, DelaysAThirdOfThePointsShortlyAndLong) {
    int delayed = 0;
    int short_ones = 0;
    constexpr int points = 6'000;
    for (std::uint64_t point = 0; point < points; ++point) {
        auto const delay = delay_injection::drawn_delay(1, point);
        EXPECT_EQ(delay, delay_injection::drawn_delay(1, point));
        if (delay.count() > 0) {
            EXPECT_GE(delay, delay_injection::delay_min);
            EXPECT_LT(delay, delay_injection::delay_max);
            ++delayed;
            short_ones += delay < 8 * delay_injection::delay_min ? 1 : 0;
        }
    }
    EXPECT_NEAR(delayed, points / 3, points / 30);
    EXPECT_NEAR(short_ones, delayed / 2, delayed / 20);
}

/// A byte that one stream writes and another reads, with or without a wait.
class TwoStreams : public ::testing::Test {
  protected:
    enum class Wait { none, event };

    /// The first point is delayed by at least half a millisecond. \returns the byte that was read
    std::uint8_t read_behind_a_slow_write(Wait wait) {
        using delay_injection::drawn_delay;
        Stream const writer{0};
        Stream const reader{0};
        Event const written{0, EventTiming::off};
        DeviceBuffer<std::uint8_t> const byte{0, 1};
        PinnedBuffer<std::uint8_t> const read{1};
        KEYSWAP_CUDA(cudaMemset(byte.data(), 0, 1));
        KEYSWAP_CUDA(cudaDeviceSynchronize());
        std::uint64_t seed = 0;
        while (drawn_delay(seed, 0) < std::chrono::microseconds(500) ||
               drawn_delay(seed, 2).count() > 0) { // the reader's delay
            ++seed;
        }
        delay_injection::start(seed);
        delay_injection::delay(writer.get());
        KEYSWAP_CUDA(cudaMemsetAsync(byte.data(), 1, 1, writer.get()));
        if (wait == Wait::event) {
            written.record(writer.get());
            written.make_wait(reader.get());
        }
        KEYSWAP_CUDA(
            cudaMemcpyAsync(read.data(), byte.data(), 1, cudaMemcpyDeviceToHost, reader.get()));
        wait_for(reader.get());
        delay_injection::stop();
        KEYSWAP_CUDA(cudaDeviceSynchronize());
        return *read.data();
    }
};

TEST_F(TwoStreams, ShowAMissingWaitWhereTheWriterIsDelayed) {
    KEYSWAP_NEEDS_GPUS(1);
    int missed = 0; // with other processes running, the reader may be as slow
    for (int i = 0; i < 20; ++i) {
        missed += read_behind_a_slow_write(Wait::none) == 0 ? 1 : 0;
        EXPECT_EQ(read_behind_a_slow_write(Wait::event), 1);
    }
    EXPECT_GT(missed, 0);
}

} // namespace
} // namespace keyswap::kernels
