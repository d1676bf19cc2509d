#pragma once

#include "simulator/dumps/machine_dump.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// Data sheet of one generation of server CPUs, per socket, with all memory channels populated.
struct CpuSheet {
    std::string_view name; ///< "EPYC 7003"
    std::uint64_t memory_Bps = 0;
    std::string_view memory; ///< "8 channels of DDR4-3200"
    std::uint64_t socket_Bps = 0;
    std::string_view socket; ///< "Infinity Fabric"
    double socket_efficiency = 0.5;
    std::string_view socket_reason; ///< origin of the efficiency
};

/// The generation of a CPU model; for unknown models the vendor's generation with this PCIe
/// version; without a model the most common one of servers with this PCIe version.
struct RecognisedCpu {
    CpuSheet const* sheet = nullptr;
    std::string reason; ///< "as EPYC 7003 has", "as servers with PCIe 4.0 have"
    bool exact = false; ///< true: the model itself is listed
};
[[nodiscard]] RecognisedCpu recognise_cpu(std::optional<CpuModel> const& model,
                                          int pcie_generation);

/// Model of this computer's CPU as NCCL names it; nullopt if /proc/cpuinfo does not show it.
/// \param cpuinfo contents of /proc/cpuinfo
[[nodiscard]] std::optional<CpuModel> cpu_model_of(std::string_view cpuinfo);

} // namespace keyswap::simulator
