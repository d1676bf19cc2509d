#pragma once

/// \file What both imports build platforms from.

#include "simulator/platform/import_topology.hpp"

#include <cstdint>
#include <string>

namespace keyswap::simulator {

/// Datasheet figures of a kind of GPU. \return an error with the known names
[[nodiscard]] Expected<Device> known_device(std::string const& gpu_name);

/// One direction of one NVLink link of the GPU's generation, bytes a second.
[[nodiscard]] std::uint64_t nvlink_Bps(std::string const& gpu_name);

[[nodiscard]] Cpu assumed_cpu(std::uint32_t numa_node);

/// Adds the kind where the platform lacks it. \return its name
std::string add_link_kind(Platform& platform,
                          std::string const& name,
                          std::uint64_t bandwidth_Bps,
                          std::string const& bandwidth_origin);

void add_link(Platform& platform,
              std::string const& kind,
              std::string const& from,
              std::string const& to);

/// Joins NUMA nodes in a row where there are several.
void join_cpus(Platform& platform);

/// Reads the written platform back, so that an import is valid or says why not.
[[nodiscard]] Expected<Platform> validated_import(Platform const& platform, std::string_view file);

} // namespace keyswap::simulator
