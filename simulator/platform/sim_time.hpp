#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace keyswap::simulator {

/// A point on the simulated clock, or a duration, in integer picoseconds: the shortest copy lasts
/// thousands of ticks, and 64 bits cover 106 days.
struct SimTime {
    std::int64_t ps = 0;

    friend auto operator<=>(SimTime const&, SimTime const&) = default;

    constexpr SimTime& operator+=(SimTime other) {
        ps += other.ps;
        return *this;
    }
    friend constexpr SimTime operator+(SimTime a, SimTime b) { return SimTime{a.ps + b.ps}; }
    friend constexpr SimTime operator-(SimTime a, SimTime b) { return SimTime{a.ps - b.ps}; }
    friend constexpr SimTime operator*(SimTime a, std::int64_t factor) {
        return SimTime{a.ps * factor};
    }
};

inline constexpr double picoseconds_per_second = 1e12;
inline constexpr SimTime sim_time_max{std::numeric_limits<std::int64_t>::max()};

[[nodiscard]] constexpr SimTime nanoseconds(std::int64_t count) {
    return SimTime{count * 1'000};
}
[[nodiscard]] constexpr SimTime microseconds(std::int64_t count) {
    return SimTime{count * 1'000'000};
}
[[nodiscard]] constexpr SimTime milliseconds(std::int64_t count) {
    return SimTime{count * 1'000'000'000};
}

/// Longer runs, about 23 days, are refused: some input must be wrong by orders of magnitude. No
/// single time exceeds the limit either, so sums of two stay in range.
inline constexpr SimTime sim_time_limit{2'000'000'000'000'000'000};

/// Nearest tick to a non-negative number of seconds, clamped to sim_time_limit.
[[nodiscard]] inline SimTime from_seconds(double seconds) {
    auto const limit = static_cast<double>(sim_time_limit.ps);
    return SimTime{std::llround(std::min(seconds * picoseconds_per_second, limit))};
}
[[nodiscard]] constexpr double to_seconds(SimTime time) {
    return static_cast<double>(time.ps) / picoseconds_per_second;
}
[[nodiscard]] constexpr double to_milliseconds(SimTime time) {
    return to_seconds(time) * 1e3;
}

} // namespace keyswap::simulator
