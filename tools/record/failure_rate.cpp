#include "tools/record/failure_rate.hpp"

#include "traces/errors/contracts.hpp"

#include <cmath>

namespace keyswap::conformance {

namespace {

/// P(X <= failures) for X ~ Binomial(runs, probability).
double at_most(std::uint64_t failures, std::uint64_t runs, double probability) {
    auto const n = static_cast<double>(runs);
    double sum = 0;
    for (std::uint64_t i = 0; i <= failures; ++i) {
        auto const k = static_cast<double>(i);
        double const log_ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
        sum += std::exp(log_ways + k * std::log(probability) + (n - k) * std::log1p(-probability));
    }
    return sum;
}

/// Bisection: argument in [0, 1] where a decreasing function equals `value`; 60 steps give 1e-18.
template <class Function>
double falls_to(double value, Function const& function) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < 60; ++i) {
        double const middle = (low + high) / 2;
        (function(middle) > value ? low : high) = middle;
    }
    return (low + high) / 2;
}

} // namespace

Interval failure_rate_interval(std::uint64_t failures, std::uint64_t runs, double confidence) {
    KEYSWAP_EXPECTS(failures <= runs);
    KEYSWAP_EXPECTS(confidence > 0 && confidence < 1);
    double const tail = (1 - confidence) / 2;
    Interval interval;
    if (failures > 0) {
        interval.lower =
            falls_to(1 - tail, [&](double p) { return at_most(failures - 1, runs, p); });
    }
    if (failures < runs) {
        interval.upper = falls_to(tail, [&](double p) { return at_most(failures, runs, p); });
    }
    return interval;
}

std::uint64_t runs_until_failure(double rate, double confidence) {
    KEYSWAP_EXPECTS(rate > 0 && rate <= 1);
    KEYSWAP_EXPECTS(confidence > 0 && confidence < 1);
    return rate == 1
               ? 1
               : static_cast<std::uint64_t>(std::ceil(std::log1p(-confidence) / std::log1p(-rate)));
}

} // namespace keyswap::conformance
