#pragma once

#include "tools/commands/validate_options.hpp"
#include "traces/measurements/rate_table.hpp"

#include <span>
#include <string>

namespace keyswap::tools {

/// Predicts every row of a table of rates and prints errors by table and method: of rows that
/// constants were fitted to, of those held out, of those predicted from published steps, and of
/// suspect ones.
/// \param file for messages
/// \param limits on the errors of all rows that are not suspect
/// \return whether the limits hold; an error where there is nothing to compare
[[nodiscard]] Expected<ExitCode> validate_rates(std::string const& file,
                                                std::span<PublishedRate const> rates,
                                                ErrorLimits const& limits,
                                                bool json);

} // namespace keyswap::tools
