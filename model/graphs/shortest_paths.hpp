#pragma once

#include "model/graphs/graph.hpp"
#include "traces/records/sequence_digest.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace keyswap::model {

/// Distance of vertices that no path reaches; real ones are smaller (Graph::make).
inline constexpr std::uint32_t unreachable = std::numeric_limits<std::uint32_t>::max();

/// Shortest distances from `source` to all vertices, by Dijkstra's algorithm (Numerische
/// Mathematik, 1959) with a binary heap: the reference for the parallel methods. \pre source is a
/// vertex
[[nodiscard]] std::vector<std::uint32_t> dijkstra(Graph const& graph, std::uint32_t source);

/// Digest of distances in the vertices' order.
[[nodiscard]] SequenceDigest distance_digest(std::span<std::uint32_t const> distances);

} // namespace keyswap::model
