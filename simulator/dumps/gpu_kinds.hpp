#pragma once

#include "simulator/dumps/import_topology.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::simulator {

/// What a dump says of the kind of one GPU.
struct GpuEvidence {
    std::string place; ///< "topo.xml:4", for messages
    std::string name;  ///< as the driver writes it; empty if the dump has none
    std::optional<std::uint32_t> pci_device;
    std::optional<std::uint32_t> sm;
};

/// Sets the kind of each GPU of the dump: --gpu, else the name, else the PCI id, else the most
/// common GPU of that sm, else an H100. Adds notes on contradictions.
/// \pre evidence has an entry for each GPU
/// \return an error if --gpu or the evidence contradicts itself, or names an unknown kind
[[nodiscard]] Expected<void> recognise_gpus(MachineDump& dump,
                                            std::span<GpuEvidence const> evidence,
                                            ImportOptions const& options,
                                            std::string_view file);

} // namespace keyswap::simulator
