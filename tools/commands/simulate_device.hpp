#pragma once

/// \file `keyswap simulate --device`: predicts a sort within one device from its rate profile.

#include "tools/build/exit_code.hpp"
#include "tools/options/simulation_options.hpp"

#include <string>

namespace keyswap::tools {

/// Prints the steps, their times and the constants used. \param device name or file of a rate
/// profile
[[nodiscard]] Expected<ExitCode>
simulate_on_device(SimulationOptions const& options, std::string const& device, bool json);

} // namespace keyswap::tools
