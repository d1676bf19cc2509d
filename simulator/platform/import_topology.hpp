#pragma once

/// \file Platforms from what machines say of themselves. Both sources tell structure and nominal
/// widths only; memory, HBM and achieved bandwidths are filled in from the kind of GPU and marked
/// "assumed: ..." so that a calibration can replace them.

#include "simulator/platform/platform.hpp"

#include <string_view>

namespace keyswap::simulator {

/// What neither source tells.
struct ImportDefaults {
    std::string gpu_name = "H100"; ///< V100, A100, H100, H200 or B200
    std::string platform_name = "imported";
};

/// `nvidia-smi topo -m`: the matrix of GPUs (NV#, PIX, PXB, PHB, NODE, SYS) with their NUMA nodes.
/// Where all pairs have equal NV#, an NVSwitch is assumed; otherwise pairs have links of their own.
[[nodiscard]] Expected<Platform>
import_nvidia_smi(std::string_view text, std::string_view file, ImportDefaults const& defaults);

/// NCCL's topology file (NCCL_TOPO_DUMP_FILE): cpu numaid; pci busid, link_speed, link_width,
/// nested as the bus is; gpu dev, sm; nvlink target, count.
[[nodiscard]] Expected<Platform>
import_nccl_xml(std::string_view text, std::string_view file, ImportDefaults const& defaults);

} // namespace keyswap::simulator
