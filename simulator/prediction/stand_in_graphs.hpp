#pragma once

/// \file Search work on graphs that are unavailable, or too large to search for a table: searches a
/// smaller graph of similar kind and scales the result.

#include "simulator/prediction/search_cost.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace keyswap::simulator {

/// Work of a search from vertex 0 with the default Delta, on a graph of GPU Multisplit
/// ("cit-Patents", "flickr", "belgium_osm", "rmat") or a generated one ("rmat:20:16"). Stand-ins
/// have the same mean degree and 2^13 vertices, or are a lattice of side 200. Rounds grow with the
/// diameter: with the side of a lattice, else with the logarithm of the number of vertices. Work
/// grows with edges and, except on lattices, with rounds, as most vertices improve again in later
/// rounds. Times of generated graphs are within 7 % of those from searching the whole graph. \param
/// edge_count of the graph as in tables; the paper counts an edge once although it is relaxed in
/// both directions (this follows from its edge rates)
/// \return nullopt for another graph
[[nodiscard]] std::optional<SearchWork>
stand_in_work(std::string_view graph, std::uint64_t edge_count, model::PathMethod method);

} // namespace keyswap::simulator
