#pragma once

/// \file Machines as other programs write them, so that what reads those can read a platform.

#include "simulator/dumps/machine_dump.hpp"

#include <string>

namespace keyswap::simulator {

/// NCCL's topology file. It has every part of the dump but the names of bridges, and one NVSwitch
/// in place of several that a GPU joins. \return an error for NVLinks from a GPU of one machine
/// straight to one of another
[[nodiscard]] Expected<std::string> write_nccl_xml(MachineDump const& dump);

/// What `nvidia-smi -L` and `nvidia-smi topo -m` print. It lacks rates, CPUs, NVLinks to CPUs,
/// levels of PCIe switches, switches below which a GPU is alone, and, of GPUs with NVLinks, those
/// without an adapter. NVLinks of GPUs that direct links would explain are read as direct links.
/// \return an error for several machines
[[nodiscard]] Expected<std::string> write_nvidia_smi(MachineDump const& dump);

} // namespace keyswap::simulator
