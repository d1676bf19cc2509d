#pragma once

/// \file What data sheets say of kinds of GPU: enough for an imported machine's memory and links,
/// and for costs in proportion to those of a GPU that was measured.

#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

struct GpuSheet {
    std::string name; ///< "H100-PCIE"
    std::uint64_t memory_bytes = 0;
    std::uint64_t memory_Bps = 0; ///< read + write together
    std::uint32_t multiprocessors = 0;
    double boost_MHz = 0.0;
    std::uint64_t nvlink_Bps = 0; ///< of one link, one direction; 0 without NVLink
    std::uint32_t nvlinks = 0;    ///< links of one GPU
    int pcie_generation = 4;      ///< 16 lanes
    std::uint32_t sm = 0;         ///< compute capability 8.9 is 89; 0 if only numbers were given
    std::string_view profile;     ///< device profile of its own; empty: in proportion to another's
};

/// The GPUs whose data sheets are known, by name.
[[nodiscard]] std::span<GpuSheet const> gpu_sheets();

/// By the sheet's name, as a driver or a platform file writes it ("NVIDIA H100 PCIe", "NVIDIA H100
/// 80GB HBM3"), or by four numbers: "48 GB, 864 GB/s, 142 SMs, 2520 MHz".
/// \return an error with the known names
[[nodiscard]] Expected<GpuSheet> find_gpu_sheet(std::string_view text);

/// The GPU of NVIDIA that has this PCI device id; nullopt if no sheet names it.
[[nodiscard]] std::optional<GpuSheet> gpu_sheet_of_pci(std::uint32_t device_id);

/// The PCI device id by which gpu_sheet_of_pci() finds the sheet; nullopt if no id is known.
[[nodiscard]] std::optional<std::uint32_t> pci_id_of(GpuSheet const& sheet);

/// Every sheet of a compute capability, the most common GPU first.
[[nodiscard]] std::vector<GpuSheet> gpu_sheets_of_sm(std::uint32_t sm);

/// The four numbers.
[[nodiscard]] std::string numbers_of(GpuSheet const& sheet);

/// What platforms say of such a GPU.
[[nodiscard]] Device device_of_sheet(GpuSheet const& sheet);

/// 16 lanes, one direction, before encoding: 4.0 has 32 GB/s.
[[nodiscard]] std::uint64_t pcie_x16_Bps(int generation);

} // namespace keyswap::simulator
