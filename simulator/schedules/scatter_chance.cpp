#include "simulator/schedules/scatter_chance.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace keyswap::simulator {

namespace {

constexpr std::uint64_t resolution = 1024; ///< units per expected key
constexpr std::uint64_t handful = 16;      ///< expected keys from which the chance is 1 - 1e-7

/// Number of keys outside the fullest digit.
std::uint64_t keys_outside_fullest(std::span<std::uint64_t const> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) -
           std::ranges::max(counts);
}

} // namespace

double scatter_chance(ScheduleInput const& input,
                      model::Plan const& plan,
                      model::BucketHistogram const& histogram) {
    std::uint64_t const counted = keys_outside_fullest(histogram.total());
    if (!input.expected || counted >= handful) {
        return counted > 0 ? 1.0 : 0.0;
    }
    model::KeyRequest finer = *input.expected;
    finer.key_count *= resolution;
    auto generator = model::KeyGenerator::make(finer);
    KEYSWAP_EXPECTS(generator.has_value());
    model::ClosedFormSource keys(std::move(*generator), input.config.direction);
    std::array const bucket{histogram.bucket()};
    auto const counts =
        keys.histograms(model::Chunks(finer.key_count, 1), plan.layout, bucket).front().total();
    double const expected = static_cast<double>(keys_outside_fullest(counts)) / double{resolution};
    return -std::expm1(-expected);
}

} // namespace keyswap::simulator
