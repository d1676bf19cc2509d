#pragma once

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

namespace keyswap::simulator {

/// The dump that would describe the platform: the inverse of build_platform(), for platforms that
/// are trees of PCIe below CPUs, with NVLinks between GPUs, to NVSwitches or to CPUs. Rates are the
/// nominal ones from CPU to GPU; memories, efficiencies, latencies and given routes are not in
/// dumps. \return an error for what dumps cannot describe: networks between machines, GPUs with two
/// ways to their host, switches that hang on two
[[nodiscard]] Expected<MachineDump> describe_platform(Platform const& platform);

} // namespace keyswap::simulator
