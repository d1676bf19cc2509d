#pragma once

#include "simulator/platform/platform.hpp"

#include <string_view>

namespace keyswap::simulator {

/// Nodes joined by a rail-optimised fat tree: rail r's adapter of every node hangs on leaf switch
/// r; leaves are joined by trunks as wide as all adapters below them, so no trunk is ever short.
///
/// \param node a platform whose network adapters are switches with a rail
/// \param node_count 1 to 128
/// \return an error where the node has no adapters
[[nodiscard]] Expected<Platform> make_cluster(Platform const& node, std::uint32_t node_count);

/// "cluster:NODE:COUNT", NODE being a shipped platform or a file.
[[nodiscard]] Expected<Platform> load_cluster(std::string_view text);

} // namespace keyswap::simulator
