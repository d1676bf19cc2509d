#pragma once

#include "simulator/cost/rate_profile.hpp"
#include "traces/measurements/rate_table.hpp"

#include <span>

namespace keyswap::simulator {

/// Fits the constants whose origin begins with "derived: fitted" to the rows of the device that are
/// marked for fitting. Searches constants one by one, and three at a time, from their current
/// values. Loss: squared log(predicted / published), linear above 0.24; a row of one stage has
/// weight 0.4, a scan 0.1 (published with two digits), a total 1. Weak regularization keeps
/// constants that the rows do not determine at the start. \return an error if there is nothing to
/// fit
[[nodiscard]] Expected<RateProfile> fit_rates(RateProfile const& start,
                                              std::span<PublishedRate const> rates);

} // namespace keyswap::simulator
