#pragma once

/// \file Logarithm, exponential, power and normal distribution from +, -, *, / and square root
/// alone, which IEEE 754 rounds identically everywhere; the compiler must not contract them into
/// fused operations (-ffp-contract=off). Library functions differ between machines in the last bit,
/// and so would the keys.

namespace keyswap::model {

/// Natural logarithm, within 2 units in the last place. \pre x is finite, normal and > 0
[[nodiscard]] double deterministic_log(double x);

/// Above this power, e^x is near the largest double or overflows.
inline constexpr double exponential_power_max = 709.78;

/// e^x, within 2 units in the last place; 0 below -708, infinity above exponential_power_max.
[[nodiscard]] double deterministic_exp(double x);

/// e^x - 1, within 4 units in the last place, exact in sign and near 0.
/// \pre x <= exponential_power_max
[[nodiscard]] double deterministic_expm1(double x);

/// x^y = exp(y log x), relative error below 2e-16 (2 + |y log x|). \pre x is finite, normal and > 0
[[nodiscard]] double deterministic_pow(double x, double y);

/// Standard normal distribution function, absolute error below 1e-15.
/// Source: Marsaglia: Evaluating the normal distribution (Journal of Statistical Software, 2004).
[[nodiscard]] double normal_cdf(double x);

} // namespace keyswap::model
