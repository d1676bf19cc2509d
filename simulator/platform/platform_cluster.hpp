#pragma once

#include "simulator/platform/platform.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::simulator {

/// So many nodes of a kind.
struct ClusterNodes {
    Platform node;
    std::uint32_t count = 1;
};

/// Nodes joined by a rail-optimised fat tree: rail r's adapter of every node hangs on leaf switch
/// r; leaves are joined by trunks as wide as all adapters below them, so no trunk is ever short. A
/// node whose network adapters are not in its file, as switches with a rail, is assumed to have one
/// for each GPU.
///
/// \pre 1 to 128 nodes in all
/// \return an error where a node has no GPUs
[[nodiscard]] Expected<Platform> make_cluster(std::vector<ClusterNodes> const& groups);

/// The nodes of such a text, each kind with its count.
[[nodiscard]] Expected<std::vector<std::pair<std::string, std::uint32_t>>>
cluster_groups(std::string_view text);

/// "cluster:NODE:COUNT" or "cluster:NODE:COUNT+NODE:COUNT", NODE being a shipped platform or a
/// file.
[[nodiscard]] Expected<Platform> load_cluster(std::string_view text);

} // namespace keyswap::simulator
