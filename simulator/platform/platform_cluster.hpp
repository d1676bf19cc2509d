#pragma once

#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::simulator {

/// A number of equal nodes.
struct ClusterNodes {
    Platform node;
    std::uint32_t count = 1;
};

/// Nodes joined by a rail-optimised fat tree: rail r's adapter of every node connects to leaf
/// switch r; trunks between leaves are as wide as all adapters below them, so no trunk is a
/// bottleneck. A node without adapters in its file (switches with a rail) gets one for each GPU;
/// with PCIe 3.0 and NVLink from GPUs to CPUs, one for each CPU.
///
/// \pre 1 to 128 nodes in all
/// \return an error if a node has neither adapters nor GPUs
[[nodiscard]] Expected<Platform> make_cluster(std::vector<ClusterNodes> const& groups);

/// True for "cluster:...", which load_cluster() takes.
[[nodiscard]] bool is_cluster(std::string_view platform);

/// Splits the text that load_cluster() takes into node names and counts.
[[nodiscard]] Expected<std::vector<std::pair<std::string, std::uint32_t>>>
cluster_groups(std::string_view text);

/// Parses "cluster:NODE:COUNT" or "cluster:NODE:COUNT+NODE:COUNT"; NODE is a shipped platform or
/// the path of a file.
[[nodiscard]] Expected<Platform> load_cluster(std::string_view text);

} // namespace keyswap::simulator
