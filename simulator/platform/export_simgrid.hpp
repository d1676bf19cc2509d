#pragma once

#include "simulator/platform/platform.hpp"

#include <string>

namespace keyswap::simulator {

/// SimGrid platform file (version 4.1) with a host for each CPU and GPU, a link for each direction
/// of a link (and for each shared total and memory), and a route for each pair of hosts.
/// SimGrid files cannot express weights other than 1 (the cost of a written byte) or copy ceilings.
/// \return an error if the platform has no routes
[[nodiscard]] Expected<std::string> export_simgrid(Platform const& platform);

} // namespace keyswap::simulator
