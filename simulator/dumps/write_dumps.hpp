#pragma once

/// \file Exports machines in the formats of NCCL and nvidia-smi, for programs that read these.

#include "simulator/dumps/machine_dump.hpp"

#include <string>

namespace keyswap::simulator {

/// NCCL's topology file. Lossless except for names of bridges, and several NVSwitches of
/// a GPU become one. \return an error for direct NVLinks between GPUs of different
/// machines
[[nodiscard]] Expected<std::string> write_nccl_xml(MachineDump const& dump);

/// Output of `nvidia-smi -L` and `nvidia-smi topo -m`. Omits rates, CPUs, NVLinks to CPUs, levels
/// of PCIe switches, switches with a single GPU, and switches without adapter of GPUs with NVLinks.
/// Importing it yields direct NVLinks wherever these could explain the counts.
/// \return an error for several machines
[[nodiscard]] Expected<std::string> write_nvidia_smi(MachineDump const& dump);

} // namespace keyswap::simulator
