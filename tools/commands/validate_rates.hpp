#pragma once

#include "tools/build/exit_code.hpp"
#include "traces/measurements/rate_table.hpp"

#include <optional>
#include <span>
#include <string>

namespace keyswap::tools {

/// Limits on the errors of all rows that are not suspect, as fractions.
struct RateLimits {
    std::optional<double> median_max;
    std::optional<double> p95_max;
    std::optional<double> worst_max;
};

/// Predicts every row of a table of rates and prints errors by table and method: of rows that
/// constants were fitted to, of those held out, of those predicted from published steps, and of
/// suspect ones.
/// \param file for messages
/// \return whether the limits hold; an error where there is nothing to compare
[[nodiscard]] Expected<ExitCode> validate_rates(std::string const& file,
                                                std::span<PublishedRate const> rates,
                                                RateLimits const& limits,
                                                bool json);

} // namespace keyswap::tools
