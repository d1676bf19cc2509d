#include "model/distributions/deterministic_math.hpp"

#include "traces/errors/contracts.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace keyswap::model {

namespace {

/// ln 2 split into a part of 33 bits, whose small multiples are exact, and the remainder.
constexpr double ln2_high = 0x1.62e42fee00000p-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double inverse_ln2 = 0x1.71547652b82fep+0;

/// 2^exponent. \pre -1022 <= exponent <= 1023
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Nearest integer; ties away from zero.
int nearest(double x) {
    return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5);
}

/// (e^r - 1 - r) by its Taylor series. \pre |r| <= ln(2) / 2, where 15 terms leave 1e-19
double exponential_tail(double r) {
    double sum = 0;
    for (int i = 15; i >= 2; --i) {
        sum = (sum + 1) * r / i;
    }
    return sum * r;
}

} // namespace

double deterministic_log(double x) {
    KEYSWAP_EXPECTS(x >= std::numeric_limits<double>::min() &&
                    x <= std::numeric_limits<double>::max());
    auto const bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    // Reduce the mantissa to [sqrt(1/2), sqrt(2)), so that logarithms near 0 keep their precision.
    double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
    if (mantissa > 0x1.6a09e667f3bcdp+0) {
        mantissa *= 0.5;
        ++exponent;
    }
    // ln m = 2 atanh(s), s = f / (2 + f), f = m - 1; the leading f is added separately:
    // ln m = f - s (f - R), R = 2 (s^2/3 + s^4/5 + ...).
    double const f = mantissa - 1;
    double const s = f / (2 + f);
    double const s2 = s * s;
    double series = 0; // |s| <= 0.172: 12 terms leave 0.172^26 / 27 < 1e-21
    for (int i = 12; i >= 1; --i) {
        series = (series + 1.0 / (2 * i + 1)) * s2;
    }
    double const rest = s * (f - 2 * series);
    return exponent * ln2_high + (f + (exponent * ln2_low - rest));
}

double deterministic_exp(double x) {
    if (x < -708) {
        return 0;
    }
    if (x > exponential_power_max) {
        return std::numeric_limits<double>::infinity();
    }
    int const k = nearest(x * inverse_ln2);
    double const r = (x - k * ln2_high) - k * ln2_low;
    double const fraction = 1 + (r + exponential_tail(r));
    // 2^k in two factors, since k reaches 1024 near the upper end.
    return fraction * power_of_two(k / 2) * power_of_two(k - k / 2);
}

double deterministic_expm1(double x) {
    KEYSWAP_EXPECTS(x <= exponential_power_max);
    if (x > -0.34 && x < 0.34) {
        return x + exponential_tail(x);
    }
    return deterministic_exp(x) - 1;
}

double deterministic_pow(double x, double y) {
    return deterministic_exp(y * deterministic_log(x));
}

double normal_cdf(double x) {
    if (x < -9) {
        return 0; // below 1.2e-19
    }
    if (x > 9) {
        return 1;
    }
    constexpr double inverse_root_two_pi = 0x1.9884533d43651p-2;
    double const square = x * x;
    double term = x;
    double sum = x;
    for (int i = 3; i < 400 && (term > 1e-22 || term < -1e-22); i += 2) {
        term *= square / i;
        sum += term;
    }
    return 0.5 + sum * (deterministic_exp(-0.5 * square) * inverse_root_two_pi);
}

} // namespace keyswap::model
