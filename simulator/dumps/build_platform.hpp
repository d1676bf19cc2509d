#pragma once

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

#include <string>

namespace keyswap::simulator {

/// The platform that a dump describes. Rates that the dump does not state come from data sheets and
/// from servers of the GPUs' time, each marked with its origin.
/// \pre the dump has a CPU and a GPU, and its indices are within their lists
[[nodiscard]] Platform build_platform(MachineDump const& dump, std::string const& name);

} // namespace keyswap::simulator
