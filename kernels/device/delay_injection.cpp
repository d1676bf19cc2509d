#include "kernels/device/delay_injection.hpp"

#include "kernels/device/cuda_check.hpp"
#include "traces/records/digest.hpp"

#include <atomic>
#include <thread>

namespace keyswap::kernels::delay_injection {

namespace {

std::atomic<bool> is_on{false};
std::atomic<std::uint64_t> drawn_seed{0};
std::atomic<std::uint64_t> next_point{0};

/// Host function of a stream. \param microseconds the number itself, so no memory has to outlive it
void CUDART_CB sleep_for(void* microseconds) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(reinterpret_cast<std::uintptr_t>(microseconds)));
}

} // namespace

std::chrono::microseconds drawn_delay(std::uint64_t seed, std::uint64_t point) {
    std::uint64_t const draw = mix_bits(mix_bits(seed) + point);
    if (draw % delayed_share != 0) {
        return std::chrono::microseconds::zero();
    }
    // A power of two times the minimum, plus up to as much again.
    constexpr std::uint64_t doublings = 6;
    auto const least = static_cast<std::uint64_t>(delay_min.count()) << (draw >> 8) % doublings;
    return std::chrono::microseconds(least + (draw >> 16) % least);
}

void start(std::uint64_t seed) {
    drawn_seed = seed;
    next_point = 0;
    is_on = true;
}

void stop() {
    is_on = false;
}

void delay(CUstream_st* stream) {
    if (!is_on.load(std::memory_order_relaxed)) {
        return;
    }
    auto const time = drawn_delay(drawn_seed, next_point++);
    if (time.count() > 0) {
        auto const microseconds = static_cast<std::uintptr_t>(time.count());
        KEYSWAP_CUDA(cudaLaunchHostFunc(stream, sleep_for, reinterpret_cast<void*>(microseconds)));
    }
}

} // namespace keyswap::kernels::delay_injection
