#pragma once

/// \file Platforms from what machines say of themselves. Both sources tell structure and nominal
/// widths only. The rest comes from the GPU's data sheet, from a shipped platform that looks the
/// same, or from servers of the GPU's time, marked "assumed: ..." so that a calibration can replace
/// it; assumptions_of() lists it.

#include "simulator/platform/platform.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// What neither source tells.
struct ImportDefaults {
    std::string gpu_name = "H100"; ///< as find_gpu_sheet() takes it
    std::string platform_name = "imported";
};

/// `nvidia-smi topo -m`: the matrix of GPUs and network adapters (NV#, PIX, PXB, PHB, NODE, SYS)
/// with the GPUs' NUMA nodes. Where all pairs have equal NV#, an NVSwitch is assumed; otherwise
/// pairs have links of their own. GPUs that reach an adapter without the root complex share its
/// switch. Adapters are numbered as rails; their speed is not told.
[[nodiscard]] Expected<Platform>
import_nvidia_smi(std::string_view text, std::string_view file, ImportDefaults const& defaults);

/// NCCL's topology file (NCCL_TOPO_DUMP_FILE): cpu numaid; pci busid, link_speed, link_width,
/// nested as the bus is; gpu dev, sm; nvlink target, count.
[[nodiscard]] Expected<Platform>
import_nccl_xml(std::string_view text, std::string_view file, ImportDefaults const& defaults);

/// What nobody told: "memory_read of cpu0: assumed: ...", one line for constants of one origin.
[[nodiscard]] std::vector<std::string> assumptions_of(Platform const& platform);

} // namespace keyswap::simulator
