#pragma once

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

namespace keyswap::simulator {

/// Inverse of build_platform(): the dump of a platform that consists of PCIe trees below CPUs, with
/// NVLinks between GPUs, to NVSwitches or to CPUs. Rates are nominal, from CPU to GPU; dumps
/// contain no memories, efficiencies, latencies or given routes. \return an error for what a dump
/// cannot express: networks between machines, GPUs with two paths to their host, switches with two
/// parents
[[nodiscard]] Expected<MachineDump> describe_platform(Platform const& platform);

} // namespace keyswap::simulator
