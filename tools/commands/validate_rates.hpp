#pragma once

#include "tools/commands/validate_options.hpp"
#include "traces/measurements/rate_table.hpp"

#include <span>
#include <string>

namespace keyswap::tools {

/// Predicts every row of a table of rates. Prints errors by table and method, separately for
/// rows used to fit constants, held-out rows, rows predicted from published steps, and suspect
/// rows.
/// \param file name for messages
/// \param limits on the errors of all rows except suspect ones
/// \return whether the limits hold; an error if there is nothing to compare
[[nodiscard]] Expected<ExitCode> validate_rates(std::string const& file,
                                                std::span<PublishedRate const> rates,
                                                ErrorLimits const& limits,
                                                bool json);

} // namespace keyswap::tools
