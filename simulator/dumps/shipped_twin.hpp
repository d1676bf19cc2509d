#pragma once

/// \file Which shipped machine a dump is of, if any. Its host memory and links were measured or
/// looked up, so an import that agrees with it is better off with them.

#include "simulator/dumps/machine_dump.hpp"
#include "simulator/platform/platform.hpp"

#include <optional>

namespace keyswap::simulator {

/// The shipped platform with which everything that the dump states agrees: every GPU's memory,
/// every NVLink, the link of every GPU to its host if the dump has it, which GPUs share a NUMA node
/// or a PCIe switch, and the kind of CPU. Its values that nobody named are marked as assumed.
/// \param imported what build_platform() made of the dump; the result has its name
/// \return nullopt if no shipped platform agrees
[[nodiscard]] std::optional<Platform> shipped_twin(MachineDump const& dump,
                                                   Platform const& imported);

} // namespace keyswap::simulator
