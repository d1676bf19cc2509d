#pragma once

/// \file `keyswap simulate --device`: a sort inside one device by the law of its rate profile.

#include "tools/build/exit_code.hpp"
#include "tools/options/simulation_options.hpp"

#include <string>

namespace keyswap::tools {

/// Prints steps, their time and the constants behind them. \param device rate profile by name or
/// file
[[nodiscard]] Expected<ExitCode>
simulate_on_device(SimulationOptions const& options, std::string const& device, bool json);

} // namespace keyswap::tools
