#pragma once

#include "simulator/dumps/machine_dump.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// What a generation of server CPUs has a socket, with all its memory channels filled.
struct CpuSheet {
    std::string_view name; ///< "EPYC 7003"
    std::uint64_t memory_Bps = 0;
    std::string_view memory; ///< "8 channels of DDR4-3200"
    std::uint64_t socket_Bps = 0;
    std::string_view socket; ///< "Infinity Fabric"
    double socket_efficiency = 0.5;
    std::string_view socket_reason; ///< of the efficiency
};

/// The generation that a model belongs to, or its vendor's of a PCIe generation if the model is
/// newer; without a model, what servers of that PCIe generation have.
struct RecognisedCpu {
    CpuSheet const* sheet = nullptr;
    std::string reason; ///< "as EPYC 7003 has", "as servers with PCIe 4.0 have"
    bool exact = false; ///< the model itself is known
};
[[nodiscard]] RecognisedCpu recognise_cpu(std::optional<CpuModel> const& model,
                                          int pcie_generation);

/// The CPU of this computer, as NCCL would name it; nullopt if /proc/cpuinfo does not say.
/// \param cpuinfo text of /proc/cpuinfo
[[nodiscard]] std::optional<CpuModel> cpu_model_of(std::string_view cpuinfo);

} // namespace keyswap::simulator
