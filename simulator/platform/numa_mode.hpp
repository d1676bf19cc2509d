#pragma once

/// \file NUMA modes of CPUs: NPS2 and NPS4 of EPYC, SNC2 to SNC4 of Xeon split a socket's memory
/// channels into several NUMA nodes. "dgx-a100:nps4" selects such a mode.

#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <string_view>

namespace keyswap::simulator {

/// A platform's name or path with an optional NUMA mode.
struct PlatformInMode {
    std::string_view platform;
    std::string_view mode;   ///< "nps4"; empty without a mode
    std::uint32_t nodes = 1; ///< NUMA nodes per socket
};

/// Splits "dgx-a100:nps4" into "dgx-a100" and 4; text without a known mode is all platform.
[[nodiscard]] PlatformInMode split_numa_mode(std::string_view text);

/// Replaces each CPU by the mode's NUMA nodes, which share its memory and its rate evenly and reach
/// each other, other sockets and all PCIe devices over the socket's fabric. Devices of the CPU are
/// distributed over its nodes in order, as root complexes are. \return an error if a socket already
/// has several NUMA nodes, or the file gives a route to a CPU
[[nodiscard]] Expected<Platform> in_numa_mode(Platform platform, PlatformInMode const& wanted);

} // namespace keyswap::simulator
