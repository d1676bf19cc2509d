#pragma once

#include "model/graphs/graph.hpp"
#include "traces/records/sequence_digest.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace keyswap::model {

/// Distance of unreachable vertices; Graph::make() keeps all others smaller.
inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

/// Shortest distances from `source` to all vertices, [vertices], by Dijkstra's algorithm
/// (Numerische Mathematik, 1959) with a binary heap: the reference for the parallel methods. \pre
/// source is a vertex
[[nodiscard]] std::vector<std::uint32_t> dijkstra(Graph const& graph, std::uint32_t source);

/// Sequence digest of the distances, in vertex order.
[[nodiscard]] SequenceDigest distance_digest(std::span<std::uint32_t const> distances);

} // namespace keyswap::model
