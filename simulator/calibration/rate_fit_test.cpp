#include "simulator/calibration/rate_fit.hpp"

#include "simulator/calibration/rate_validation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace keyswap::simulator {
namespace {

/// A profile's predictions as if they had been published.
std::vector<PublishedRate> rates_of(RateProfile const& profile) {
    std::vector<PublishedRate> rates;
    for (std::string const method : {"direct", "warp", "block"}) {
        for (std::uint32_t const buckets : {2U, 8U, 32U}) {
            for (std::string const rule : {"digit", "delta"}) {
                PublishedRate rate;
                rate.device = profile.name;
                rate.operation = "multisplit";
                rate.method = method;
                rate.rule = rule;
                rate.buckets = buckets;
                rate.key_count = 1U << 25U;
                rate.use = RateUse::fitted;
                rate.time_ms = rate_ms(profile, rate);
                rates.push_back(rate);
            }
        }
    }
    return rates;
}

double worst_error(RateProfile const& profile, std::vector<PublishedRate> const& rates) {
    double most = 0.0;
    for (PublishedRate const& rate : rates) {
        most = std::max(most, std::abs(*rate_ms(profile, rate) / rate.milliseconds() - 1.0));
    }
    return most;
}

TEST(RateFit, FindsTheTimesOfConstantsThatWereChanged) {
    auto const truth = load_rate_profile("gtx1080");
    ASSERT_TRUE(truth);
    auto const rates = rates_of(*truth);
    RateProfile start = *truth;
    start.bandwidth_GBps *= 0.7;
    start.partition->divide_block_ps *= 2.0;
    start.partition->run_ps *= 0.5;
    EXPECT_GT(worst_error(start, rates), 0.2);
    auto const fitted = fit_rates(start, rates);
    ASSERT_TRUE(fitted) << fitted.error().message();
    EXPECT_LT(worst_error(*fitted, rates), 0.03);
}

TEST(RateFit, LeavesConstantsThatWereNotFittedAndRowsThatAreNotForIt) {
    auto const truth = load_rate_profile("gtx1080");
    ASSERT_TRUE(truth);
    auto rates = rates_of(*truth);
    PublishedRate wrong = rates.front();
    wrong.use = RateUse::held_out;
    wrong.time_ms = 1e6;
    rates.push_back(wrong);
    auto const fitted = fit_rates(*truth, rates);
    ASSERT_TRUE(fitted);
    EXPECT_EQ(fitted->partition->label_ps, truth->partition->label_ps);
    EXPECT_EQ(fitted->radix->pass_bits, truth->radix->pass_bits);
    rates.pop_back();
    EXPECT_LT(worst_error(*fitted, rates), 0.03);
}

TEST(RateFit, SaysWhereThereIsNothingToFit) {
    auto const profile = load_rate_profile("gtx1080");
    ASSERT_TRUE(profile);
    EXPECT_FALSE(fit_rates(*profile, {}));
    auto const knf = load_rate_profile("knf"); // it has no fitted constants
    ASSERT_TRUE(knf);
    EXPECT_FALSE(fit_rates(*knf, rates_of(*profile)));
}

} // namespace
} // namespace keyswap::simulator
