#pragma once

/// \file Finds the shipped platform of a dumped machine, whose host memory and links are measured
/// or researched and hence better than the assumptions of an import.

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

#include <optional>

namespace keyswap::simulator {

/// The shipped platform that agrees with the dump on every GPU's memory, every NVLink, the link
/// from every GPU to its host if the dump has it, which GPUs share a NUMA node or a PCIe switch,
/// and the CPU model. Values that the dump does not confirm are marked assumed.
/// \param imported build_platform() of the dump; the result has its name
/// \return nullopt if no shipped platform agrees
[[nodiscard]] std::optional<Platform> shipped_twin(MachineDump const& dump,
                                                   Platform const& imported);

} // namespace keyswap::simulator
