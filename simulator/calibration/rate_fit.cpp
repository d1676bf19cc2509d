#include "simulator/calibration/rate_fit.hpp"

#include "simulator/calibration/rate_validation.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <random>

namespace keyswap::simulator {

namespace {

constexpr std::string_view fitted_origin = "derived: fitted";

/// A profile's fitted constants and their loss over the rows.
class RateFit {
  public:
    RateFit(RateProfile const& start, std::span<PublishedRate const> rates) : profile_(start) {
        for (PublishedRate const& rate : rates) {
            if (rate.device == start.name && rate.use == RateUse::fitted && !rate.time_ratio &&
                rate_ms(start, rate)) {
                rows_.push_back(&rate);
            }
        }
        for (ProfileConstant const& constant : constants_of(profile_)) {
            if (profile_.origins[constant.name].starts_with(fitted_origin) &&
                *constant.value > 0.0) {
                values_.push_back(constant.value);
                start_.push_back(*constant.value);
            }
        }
    }

    [[nodiscard]] bool empty() const { return rows_.empty() || values_.empty(); }
    [[nodiscard]] std::size_t constants() const { return values_.size(); }
    /// The profile with fitted constants rounded to four digits.
    [[nodiscard]] RateProfile rounded() {
        for (double* const value : values_) {
            std::array<char, 32> digits{};
            char const* const end = std::to_chars(digits.data(),
                                                  digits.data() + digits.size(),
                                                  *value,
                                                  std::chars_format::general,
                                                  4)
                                        .ptr;
            std::from_chars(digits.data(), end, *value);
        }
        return profile_;
    }

    /// Multiplies some constants by factors; undoes it and returns false unless the loss falls.
    bool improve(std::span<std::pair<std::size_t, double> const> factors) {
        for (auto const& [index, factor] : factors) {
            *values_[index] *= factor;
        }
        double const loss_now = loss();
        if (loss_now < best_ - 1e-12) {
            best_ = loss_now;
            return true;
        }
        for (auto const& [index, factor] : factors) {
            *values_[index] /= factor;
        }
        return false;
    }

  private:
    [[nodiscard]] double loss() const {
        constexpr double pull = 0.0005;
        double sum = 0.0;
        for (PublishedRate const* const rate : rows_) {
            double const error =
                std::abs(std::log(*rate_ms(profile_, *rate) / rate->milliseconds()));
            double const weight = rate->stage == "all" ? 1.0 : rate->stage == "scan" ? 0.1 : 0.4;
            sum += weight * std::min(error * error, 0.01 + 0.2 * error);
        }
        for (std::size_t index = 0; index < values_.size(); ++index) {
            double const moved = std::log(*values_[index] / start_[index]);
            sum += pull * moved * moved;
        }
        return sum;
    }

    RateProfile profile_;
    std::vector<PublishedRate const*> rows_;
    std::vector<double*> values_; ///< in profile_
    std::vector<double> start_;
    double best_ = 1e300;
};

} // namespace

Expected<RateProfile> fit_rates(RateProfile const& start, std::span<PublishedRate const> rates) {
    RateFit fit(start, rates);
    if (fit.empty()) {
        return input_error(start.name,
                           "nothing can be fitted: no constant has an origin that begins with "
                           "'derived: fitted', or no row of the device is marked 'fitted'",
                           "give a profile and a table of one device");
    }
    constexpr int rounds = 400;
    constexpr int throws = 20;
    constexpr double first_step = 0.4;
    constexpr double least_step = 0.003;
    std::vector<double> steps(fit.constants(), first_step);
    std::mt19937_64 random(1);
    auto const unit = [&random] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
    constexpr int patience = 12;
    int idle = 0; // rounds without improvement
    for (int round = 0; round < rounds && idle < patience; ++round) {
        bool fell = false;
        for (std::size_t index = 0; index < steps.size(); ++index) {
            std::pair<std::size_t, double> const up[] = {{index, std::exp(steps[index])}};
            std::pair<std::size_t, double> const down[] = {{index, std::exp(-steps[index])}};
            bool const better = fit.improve(up) || fit.improve(down);
            fell = fell || better;
            steps[index] = std::max(least_step, steps[index] * (better ? 1.3 : 0.6));
        }
        for (int turn = 0; turn < throws; ++turn) {
            std::vector<std::pair<std::size_t, double>> some;
            for (int part = 0; part < 3; ++part) {
                auto const index = static_cast<std::size_t>(random() % steps.size());
                some.emplace_back(index, std::exp(0.3 * (unit() + unit() - 1.0)));
            }
            fell = fit.improve(some) || fell;
        }
        idle = fell ? 0 : idle + 1;
    }
    return fit.rounded();
}

} // namespace keyswap::simulator
