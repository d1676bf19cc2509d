#pragma once

/// \file NUMA modes of a machine's CPUs: NPS2 and NPS4 of EPYC, SNC2 to SNC4 of Xeon divide a
/// socket's memory channels among several NUMA nodes. "dgx-a100:nps4" names such a machine.

#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <string_view>

namespace keyswap::simulator {

/// A platform's name or path, and the mode if the text names one.
struct PlatformInMode {
    std::string_view platform;
    std::string_view mode;   ///< "nps4"
    std::uint32_t nodes = 1; ///< of a socket
};

/// Splits "dgx-a100:nps4" into "dgx-a100" and 4; a text without a known mode is a platform.
[[nodiscard]] PlatformInMode split_numa_mode(std::string_view text);

/// The platform with each CPU replaced by the mode's NUMA nodes, which share its memory and its
/// rate evenly and reach each other, other sockets and all PCIe devices over the socket's fabric.
/// What hangs on the CPU is spread over its nodes in order, as root complexes are. \return an error
/// if a socket has several NUMA nodes already, or a route to a CPU is given
[[nodiscard]] Expected<Platform> in_numa_mode(Platform platform, PlatformInMode const& wanted);

} // namespace keyswap::simulator
