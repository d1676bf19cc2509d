#pragma once

#include "simulator/platform/platform.hpp"

#include <optional>

namespace keyswap::simulator {

/// A shipped platform that an imported one may be: as many GPUs with the same memory, as many
/// NVLinks to each, and NUMA nodes and PCIe switches that contradict nothing of what was read. Two
/// or more NUMA nodes may be parts of one socket. It tells what no dump does: rates of host memory
/// and sockets, achieved parts, PCIe switches.
/// \return it with the imported name, and origins that say whose the constants are
[[nodiscard]] std::optional<Platform> shipped_twin(Platform const& imported);

} // namespace keyswap::simulator
