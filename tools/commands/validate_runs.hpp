#pragma once

/// \file `keyswap validate` of measured sorts.

#include "tools/commands/validate_options.hpp"
#include "traces/measurements/measurement.hpp"

namespace keyswap::tools {

/// Prints predictions beside measured times, phase by phase, or with --hold-out a row for each
/// class that constants were fitted without.
/// \return whether the limits hold; an error if there is nothing to compare
[[nodiscard]] Expected<ExitCode> validate_runs(ValidateOptions const& options,
                                               std::span<Measurement const> runs);

} // namespace keyswap::tools
