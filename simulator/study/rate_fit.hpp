#pragma once

#include "simulator/cost/rate_profile.hpp"
#include "traces/measurements/rate_table.hpp"

#include <span>

namespace keyswap::simulator {

/// The profile with those constants fitted whose origin begins with "derived: fitted", to those
/// rows of its device that are marked for it. Constants are searched one by one and three at a time
/// from where they are, by the logarithms of predicted over published: squared, and growing
/// linearly from a third on; a stage counts 0.4 of a whole, and a stage of scanning, of two digits,
/// 0.1. A weak pull to the start keeps constants in place that the rows do not show. \return an
/// error where there is nothing to fit
[[nodiscard]] Expected<RateProfile> fit_rates(RateProfile const& start,
                                              std::span<PublishedRate const> rates);

} // namespace keyswap::simulator
