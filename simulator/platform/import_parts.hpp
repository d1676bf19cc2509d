#pragma once

/// \file What both imports build platforms from.

#include "simulator/platform/gpu_sheet.hpp"
#include "simulator/platform/import_topology.hpp"

#include <cstdint>
#include <string>

namespace keyswap::simulator {

/// A NUMA node of a server of the GPU's time.
[[nodiscard]] Cpu assumed_cpu(std::uint32_t numa_node, GpuSheet const& sheet);

/// Adds the kind where the platform lacks it. \return its name
std::string add_link_kind(Platform& platform,
                          std::string const& name,
                          std::uint64_t bandwidth_Bps,
                          std::string const& bandwidth_origin,
                          double efficiency);

/// Achieved parts where nobody measured them.
[[nodiscard]] double pcie_efficiency(std::uint64_t x16_Bps);
[[nodiscard]] double nvlink_efficiency(GpuSheet const& sheet);

void add_link(Platform& platform,
              std::string const& kind,
              std::string const& from,
              std::string const& to);

/// Joins NUMA nodes in a row where there are several.
void join_cpus(Platform& platform, GpuSheet const& sheet);

/// The shipped platform that looks the same, or this one, read back from its text: so an import is
/// valid or says why not.
[[nodiscard]] Expected<Platform> validated_import(Platform const& platform, std::string_view file);

} // namespace keyswap::simulator
