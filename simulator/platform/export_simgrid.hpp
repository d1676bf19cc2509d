#pragma once

#include "simulator/platform/platform.hpp"

#include <string>

namespace keyswap::simulator {

/// The platform as a SimGrid platform file (version 4.1): a host for each CPU and GPU, a link for
/// each direction of a link (and for each shared total and memory), and a route for each pair.
/// Weights other than 1 (a written byte's cost) and per-copy ceilings have no counterpart there.
/// \return an error where the platform has no routes
[[nodiscard]] Expected<std::string> export_simgrid(Platform const& platform);

} // namespace keyswap::simulator
