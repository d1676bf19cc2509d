#pragma once

/// \file Imports platforms from the output of nvidia-smi and NCCL. Dumps contain structure and
/// nominal widths only. The rest comes from data sheets of the GPUs, from servers of their
/// generation or, if all stated links agree with one, from a shipped platform; it is marked
/// "assumed: ..." so that a calibration can replace it, and assumptions_of() lists it.

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Information that the user or the driver adds to a dump.
struct ImportOptions {
    /// Values for find_gpu_sheet(): none, one for all GPUs, or one per GPU.
    std::vector<std::string> gpu_names;
    std::string platform_name = "imported";
    std::vector<std::string> driver_names; ///< [gpu] as the driver lists them; may be empty
    std::optional<CpuModel> cpu;           ///< set if the dump is of this computer
};

/// A platform, with a sentence for each omission, guess or contradiction.
struct ImportedPlatform {
    Platform platform;
    std::vector<std::string> notes;
};

/// Reads the table of `nvidia-smi topo -m`: GPUs and network adapters (NV#, PIX, PXB, PHB, NODE,
/// SYS) with the GPUs' NUMA nodes; without that column, from CPU affinities or connections. GPU
/// names next to the table, as printed by `nvidia-smi -L`, are read too. GPUs that reach an adapter
/// without crossing the root complex share its switch.
///
/// NVLinks connect GPUs directly if then no GPU exceeds the links of its data sheet; otherwise, if
/// all GPUs with NVLinks see each other, they connect to an NVSwitch.
[[nodiscard]] Expected<MachineDump>
read_nvidia_smi(std::string_view text, std::string_view file, ImportOptions const& options);

/// NCCL's topology file (NCCL_TOPO_DUMP_FILE): cpu numaid, host_hash, vendor; pci busid, device,
/// link_speed, link_width, nested as the bus is; gpu dev, sm; nvlink target, count; c2c bw, count.
[[nodiscard]] Expected<MachineDump>
read_nccl_xml(std::string_view text, std::string_view file, ImportOptions const& options);

/// True if a text is NCCL's file, false if it is the table of nvidia-smi.
[[nodiscard]] bool is_nccl_xml(std::string_view text);

/// Builds the platform of a dump, with the values of a shipped platform if one agrees.
[[nodiscard]] Expected<ImportedPlatform>
import_machine(MachineDump const& dump, std::string_view file, ImportOptions const& options);

/// Reads and imports in one step.
[[nodiscard]] Expected<ImportedPlatform>
import_nvidia_smi(std::string_view text, std::string_view file, ImportOptions const& options);
[[nodiscard]] Expected<ImportedPlatform>
import_nccl_xml(std::string_view text, std::string_view file, ImportOptions const& options);

/// Constants of assumed origin: "memory_read of cpu0: assumed: ...", one line per origin.
[[nodiscard]] std::vector<std::string> assumptions_of(Platform const& platform);

} // namespace keyswap::simulator
