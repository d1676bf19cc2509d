#include "tools/report/figures/axis.hpp"

#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace keyswap::tools {

namespace {

/// Smallest step of the form {1, 2, 5} * 10^k that covers `span` in at most `count` steps.
double round_step(double span, double count) {
    double const least = span / count;
    double const unit = std::pow(10.0, std::floor(std::log10(least)));
    for (double const factor : {1.0, 2.0, 5.0}) {
        if (factor * unit >= least * (1.0 - 1e-9)) {
            return factor * unit;
        }
    }
    return 10.0 * unit;
}

} // namespace

Axis linear_axis(std::string title, double low, double high) {
    double const span = high > low ? high - low : std::max(1e-9, std::abs(high));
    double const step = round_step(span, 6.0);
    double const from = std::floor(low / step + 1e-9) * step;
    double const to = std::max(from + step, std::ceil(high / step - 1e-9) * step);
    return {Axis::Kind::linear, std::move(title), from, to};
}

Axis exact_axis(std::string title, double high) {
    return {Axis::Kind::linear, std::move(title), 0.0, high};
}

Axis log_axis(std::string title, double low, double high) {
    if (low <= 0.0) {
        return linear_axis(std::move(title), std::min(0.0, low), high);
    }
    return {Axis::Kind::log,
            std::move(title),
            std::pow(10.0, std::floor(std::log10(low) + 1e-9)),
            std::pow(10.0,
                     std::max(std::floor(std::log10(low) + 1e-9) + 1.0,
                              std::ceil(std::log10(high) - 1e-9)))};
}

Axis name_axis(std::vector<std::string> names) {
    Axis axis{Axis::Kind::names, "", 0.0, static_cast<double>(names.size())};
    axis.names = std::move(names);
    return axis;
}

std::string short_number(double number) {
    for (auto const& [size, letter] :
         {std::pair{1e12, "T"}, std::pair{1e9, "G"}, std::pair{1e6, "M"}, std::pair{1e4, "k"}}) {
        if (std::abs(number) >= size) {
            double const unit = size == 1e4 ? 1e3 : size;
            return printed("%.4g", number / unit) + " " + letter;
        }
    }
    return std::abs(number) < 1e-12 ? "0" : printed("%.4g", number);
}

double place_on(Axis const& axis, double value, double from, double to) {
    double share = 0.0;
    if (axis.kind == Axis::Kind::names) {
        share = (value + 0.5) / static_cast<double>(std::max<std::size_t>(1, axis.names.size()));
    } else if (axis.kind == Axis::Kind::log) {
        share = std::log(value / axis.low) / std::log(axis.high / axis.low);
    } else {
        share = (value - axis.low) / (axis.high - axis.low);
    }
    return std::lerp(from, to, share);
}

std::vector<double> ticks_of(Axis const& axis, double length, double room) {
    std::vector<double> ticks;
    if (axis.kind == Axis::Kind::names) {
        auto const count = static_cast<double>(axis.names.size());
        double const fitting = std::max(1.0, std::floor(length / room));
        double const step = count <= fitting ? 1.0 : std::max(1.0, round_step(count, fitting));
        for (double at = 0.0; at < count; at += step) {
            ticks.push_back(at);
        }
    } else if (axis.kind == Axis::Kind::log) {
        int const first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
        int const last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
        for (int power = first; power <= last; ++power) {
            ticks.push_back(std::pow(10.0, power));
        }
        if (ticks.size() < 2) {
            ticks = {axis.low, axis.high};
        }
    } else {
        // At least two ticks, even if closer than wanted: a single one does not show the scale.
        double const wanted = std::max(2.0, std::floor(length / room));
        for (double count = wanted; ticks.size() < 2 && count <= 8.0 * wanted; count *= 2.0) {
            ticks.clear();
            double const step = round_step(axis.high - axis.low, count);
            for (double at = std::ceil(axis.low / step - 1e-9);
                 at * step <= axis.high + 1e-9 * step;
                 at += 1.0) {
                ticks.push_back(at * step);
            }
        }
    }
    return ticks;
}

std::string tick_text(Axis const& axis, double tick) {
    if (axis.kind == Axis::Kind::names) {
        return axis.names[static_cast<std::size_t>(tick)];
    }
    return (axis.signs && tick > 0.0 ? "+" : "") + short_number(tick);
}

} // namespace keyswap::tools
