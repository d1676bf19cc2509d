#pragma once

#include "simulator/platform/platform.hpp"
#include "traces/measurements/measurement.hpp"

#include <set>
#include <span>
#include <string>

namespace keyswap::tools {

/// Models of GPU that a file of measured sorts names.
[[nodiscard]] std::set<std::string> gpu_names(std::span<Measurement const> runs);

/// Prints a remark if a file was measured on known models of GPU that the platform lacks.
/// \param names as drivers give them
void remark_other_gpus(std::set<std::string> const& names,
                       std::string const& file,
                       simulator::Platform const& platform);

} // namespace keyswap::tools
