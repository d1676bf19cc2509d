#pragma once

/// \file Axes of plots: scales, ticks and their labels.

#include <algorithm>
#include <string>
#include <vector>

namespace keyswap::tools {

struct Axis {
    enum class Kind {
        linear,
        log,
        names ///< the i-th name covers i - 0.5 to i + 0.5
    };
    Kind kind = Kind::linear;
    std::string title;
    double low = 0.0;
    double high = 1.0;
    std::vector<std::string> names = {};
    bool shown = true;
    bool signs = false; ///< explicit signs: "+10"
};

/// Least and greatest of the values to draw.
struct Extent {
    double low = 1e300;
    double high = 0.0;

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

/// Axis that covers `low` to `high`, with round limits.
[[nodiscard]] Axis linear_axis(std::string title, double low, double high);
/// Axis from 0 to exactly `high`.
[[nodiscard]] Axis exact_axis(std::string title, double high);
/// Axis with powers of ten as limits; linear if `low` is not positive.
[[nodiscard]] Axis log_axis(std::string title, double low, double high);
[[nodiscard]] Axis name_axis(std::vector<std::string> names);

/// At most four digits, with SI prefix: "1.2 G" for 1.2e9, "0.05", "12.5".
[[nodiscard]] std::string short_number(double number);

/// Position of a value on an axis drawn from `from` to `to`, in points.
[[nodiscard]] double place_on(Axis const& axis, double value, double from, double to);

/// Tick positions for an axis of `length` points, at least `room` points apart.
[[nodiscard]] std::vector<double> ticks_of(Axis const& axis, double length, double room);

[[nodiscard]] std::string tick_text(Axis const& axis, double tick);

} // namespace keyswap::tools
