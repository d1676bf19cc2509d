#pragma once

/// \file `keyswap validate` for measured sorts.

#include "tools/commands/validate_options.hpp"
#include "traces/measurements/measurement.hpp"

namespace keyswap::tools {

/// Prints predicted and measured times for each phase; with --hold-out, one row for each class of
/// runs that was excluded from fitting the constants.
/// \return whether the limits hold; an error if there is nothing to compare
[[nodiscard]] Expected<ExitCode> validate_runs(ValidateOptions const& options,
                                               std::span<Measurement const> runs);

} // namespace keyswap::tools
