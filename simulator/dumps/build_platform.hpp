#pragma once

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

#include <string>

namespace keyswap::simulator {

/// Builds the platform that a dump describes. Rates missing in the dump come from data sheets and
/// from servers of the GPUs' generation, each with its origin.
/// \pre the dump has a CPU and a GPU, and its indices are in range
[[nodiscard]] Platform build_platform(MachineDump const& dump, std::string const& name);

} // namespace keyswap::simulator
