#pragma once

/// \file Data sheets of GPU models: enough to describe the memory and links of an imported machine,
/// and to scale the costs of a measured GPU to an unmeasured one.

#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

struct GpuSheet {
    std::string name; ///< display name, "H100-PCIE"
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_Bps = 0; ///< reads and writes combined
    std::uint32_t multiprocessors = 0;
    double boost_MHz = 0.0;
    std::uint64_t nvlink_Bps = 0; ///< per link and direction; 0 without NVLink
    std::uint32_t nvlinks = 0;    ///< NVLinks of one GPU
    int pcie_generation = 4;      ///< PCIe generation; the slot has 16 lanes
    std::uint32_t sm = 0;         ///< compute capability, 89 for 8.9; 0 if given as numbers
    std::string_view profile;     ///< own device profile; empty: scaled from another GPU's
};

/// All known data sheets; those of one compute capability begin with the most common GPU.
[[nodiscard]] std::span<GpuSheet const> gpu_sheets();

/// Finds a sheet by its own name, by the name that a driver or platform file gives ("NVIDIA H100
/// PCIe", "NVIDIA H100 80GB HBM3"), or from four numbers: "48 GB, 864 GB/s, 142 SMs, 2520 MHz".
/// \return an error that lists the known names
[[nodiscard]] Expected<GpuSheet> find_gpu_sheet(std::string_view text);

/// The NVIDIA GPU with this PCI device id; nullopt if no sheet lists it.
[[nodiscard]] std::optional<GpuSheet> gpu_sheet_of_pci(std::uint32_t device_id);

/// The PCI device id that gpu_sheet_of_pci() maps to this sheet; nullopt if no id is known.
[[nodiscard]] std::optional<std::uint32_t> pci_id_of(GpuSheet const& sheet);

/// The sheet as the four numbers that find_gpu_sheet() reads.
[[nodiscard]] std::string numbers_of(GpuSheet const& sheet);

/// The Device entry of a platform file for such a GPU.
[[nodiscard]] Device device_of_sheet(GpuSheet const& sheet);

/// Bandwidth of 16 lanes in one direction, before encoding: 32 GB/s for generation 4.
[[nodiscard]] std::uint64_t pcie_x16_Bps(int generation);

} // namespace keyswap::simulator
