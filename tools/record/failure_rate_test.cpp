#include "tools/record/failure_rate.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace keyswap::conformance {
namespace {

TEST(FailureRate, OfNoFailureIsBoundedByTheRuleOfTheTail) {
    // (1 - p)^n = tail, so p = 1 - tail^(1/n).
    Interval const interval = failure_rate_interval(0, 800, 0.95);
    EXPECT_EQ(interval.lower, 0);
    EXPECT_NEAR(interval.upper, 1 - std::pow(0.025, 1.0 / 800), 1e-9);
}

TEST(FailureRate, OfFailuresOnlyIsTheMirrorImage) {
    Interval const interval = failure_rate_interval(10, 10, 0.95);
    EXPECT_NEAR(interval.lower, std::pow(0.025, 1.0 / 10), 1e-9);
    EXPECT_EQ(interval.upper, 1);
}

TEST(FailureRate, OfThreeIn800IsThatOfTheIssue) {
    Interval const interval = failure_rate_interval(3, 800, 0.95);
    EXPECT_NEAR(interval.lower, 0.0008, 0.0001); // 0.1 %
    EXPECT_NEAR(interval.upper, 0.0109, 0.0001); // 1.1 %
}

TEST(FailureRate, SaysHowManyRunsShowAFailure) {
    // 1 - (1 - p)^n >= 0.99: of 5 %, n = ln 0.01 / ln 0.95 = 89.8.
    EXPECT_EQ(runs_until_failure(0.05, 0.99), 90U);
    EXPECT_EQ(runs_until_failure(0.5, 0.99), 7U);
    EXPECT_EQ(runs_until_failure(1, 0.99), 1U);
}

TEST(FailureRate, HoldsTheObservedRate) {
    for (std::uint64_t failures = 0; failures <= 50; ++failures) {
        Interval const interval = failure_rate_interval(failures, 50, 0.9);
        EXPECT_LE(interval.lower, static_cast<double>(failures) / 50);
        EXPECT_GE(interval.upper, static_cast<double>(failures) / 50);
    }
}

} // namespace
} // namespace keyswap::conformance
