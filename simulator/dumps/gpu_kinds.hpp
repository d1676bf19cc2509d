#pragma once

#include "simulator/dumps/import_topology.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// What a dump contains about the model of one GPU.
struct GpuEvidence {
    std::string place; ///< "topo.xml:4", for messages
    std::string name;  ///< as the driver gives it; empty if the dump has none
    std::optional<std::uint32_t> pci_device;
    std::optional<std::uint32_t> sm;
};

/// Determines the model of each GPU of the dump: by --gpu, else by name, else by PCI id, else the
/// most common GPU of that sm, else an H100. Adds notes on contradictions.
/// \pre evidence has one entry per GPU
/// \return an error if --gpu or the evidence contradicts itself, or names an unknown model
[[nodiscard]] Expected<void> recognise_gpus(MachineDump& dump,
                                            std::span<GpuEvidence const> evidence,
                                            ImportOptions const& options,
                                            std::string_view file);

} // namespace keyswap::simulator
