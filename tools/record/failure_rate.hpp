#pragma once

#include <cstdint>

namespace keyswap::conformance {

/// Confidence interval of a probability.
struct Interval {
    double lower = 0;
    double upper = 1;
};

/// Interval for the probability of a failure after `failures` in `runs` independent runs, with at
/// least the given confidence.
/// \pre failures <= runs, 0 < confidence < 1
/// Source: Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of
/// the binomial, Biometrika 26 (1934).
[[nodiscard]] Interval
failure_rate_interval(std::uint64_t failures, std::uint64_t runs, double confidence);

/// Number of runs that fail at least once with at least the given confidence.
/// \pre 0 < rate <= 1, 0 < confidence < 1
[[nodiscard]] std::uint64_t runs_until_failure(double rate, double confidence);

} // namespace keyswap::conformance
