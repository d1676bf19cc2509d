#pragma once

/// \file Platforms from what machines report. Dumps state structure and nominal widths only. What
/// they lack comes from the GPUs' data sheets, from servers of the GPUs' time or, if every link
/// that the dump states agrees with it, from a shipped platform; it is marked "assumed: ..." so
/// that a calibration can replace it, and assumptions_of() lists it.

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// What the user or the driver adds to a dump.
struct ImportOptions {
    /// As find_gpu_sheet() takes them: none, one for all GPUs, or one for each.
    std::vector<std::string> gpu_names;
    std::string platform_name = "imported";
    std::vector<std::string> driver_names; ///< of each GPU, as the driver lists them; may be empty
    std::optional<CpuModel> cpu;           ///< of the machine, if it is this one
};

/// A platform, and a sentence for each thing that was left out, guessed or contradictory.
struct ImportedPlatform {
    Platform platform;
    std::vector<std::string> notes;
};

/// The table of `nvidia-smi topo -m`: GPUs and network adapters (NV#, PIX, PXB, PHB, NODE, SYS)
/// with the GPUs' NUMA nodes, which CPU affinities or connections replace if the column is missing.
/// Names of GPUs around the table, as `nvidia-smi -L` lists them, are read too. GPUs that reach an
/// adapter without the root complex share its switch.
///
/// NVLinks join GPUs directly if no GPU then has more than its data sheet allows; otherwise, if
/// all GPUs that have NVLinks see each other, they hang on an NVSwitch.
[[nodiscard]] Expected<MachineDump>
read_nvidia_smi(std::string_view text, std::string_view file, ImportOptions const& options);

/// NCCL's topology file (NCCL_TOPO_DUMP_FILE): cpu numaid, host_hash, vendor; pci busid, device,
/// link_speed, link_width, nested as the bus is; gpu dev, sm; nvlink target, count; c2c bw, count.
[[nodiscard]] Expected<MachineDump>
read_nccl_xml(std::string_view text, std::string_view file, ImportOptions const& options);

/// Which of the two a text is.
[[nodiscard]] bool is_nccl_xml(std::string_view text);

/// A platform of the dump, with a shipped platform's values if they agree.
[[nodiscard]] Expected<ImportedPlatform>
import_machine(MachineDump const& dump, std::string_view file, ImportOptions const& options);

/// Reads and imports in one step.
[[nodiscard]] Expected<ImportedPlatform>
import_nvidia_smi(std::string_view text, std::string_view file, ImportOptions const& options);
[[nodiscard]] Expected<ImportedPlatform>
import_nccl_xml(std::string_view text, std::string_view file, ImportOptions const& options);

/// What nobody stated: "memory_read of cpu0: assumed: ...", one line for constants of one origin.
[[nodiscard]] std::vector<std::string> assumptions_of(Platform const& platform);

} // namespace keyswap::simulator
