#pragma once

#include <cstdint>

namespace keyswap::conformance {

/// Bounds of a probability.
struct Interval {
    double lower = 0;
    double upper = 1;
};

/// The interval that holds the probability of a failure, from `failures` in `runs` independent
/// runs, with the given confidence at least.
/// \pre failures <= runs, 0 < confidence < 1
/// Source: Clopper, Pearson: The use of confidence or fiducial limits illustrated in the case of
/// the binomial, Biometrika 26 (1934).
[[nodiscard]] Interval
failure_rate_interval(std::uint64_t failures, std::uint64_t runs, double confidence);

/// Runs after which a failure has shown with the given confidence at least.
/// \pre 0 < rate <= 1, 0 < confidence < 1
[[nodiscard]] std::uint64_t runs_until_failure(double rate, double confidence);

} // namespace keyswap::conformance
