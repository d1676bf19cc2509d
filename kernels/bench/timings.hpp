#pragma once

/// \file Times of repeated runs by the host's clock.

#include <algorithm>
#include <chrono>
#include <vector>

namespace keyswap::kernels {

[[nodiscard]] inline double milliseconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

/// Median; 0 without times.
[[nodiscard]] inline double median_of(std::vector<double> times) {
    std::ranges::sort(times);
    return times.empty() ? 0 : times[times.size() / 2];
}

} // namespace keyswap::kernels
