#pragma once

/// \file Rounds on graphs that are too large to search where a table is predicted, or that cannot
/// be obtained: a smaller graph of a like kind is searched, and what it took is made as large.

#include "simulator/study/search_cost.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace keyswap::simulator {

/// The work of a search from vertex 0 with the standard Delta, on one of GPU Multisplit's graphs
/// ("cit-Patents", "flickr", "belgium_osm", "rmat") or a generated one ("rmat:20:16").
/// Stand-ins have the mean degree and 2^13 vertices, or are a lattice of side 200. Rounds grow with
/// the diameter: as the side of a lattice, else as the logarithm of the number of vertices. Work
/// grows with edges, and off a lattice with rounds too, in which most vertices become nearer again.
/// Times of the generated graphs come within 7 % of those of searches of the whole graph.
/// \param edge_count of the graph, as tables give it: the paper counts an edge once though it is
///        relaxed in both directions (its rates of edges say so)
/// \return nothing for another graph
[[nodiscard]] std::optional<SearchWork>
stand_in_work(std::string_view graph, std::uint64_t edge_count, model::PathMethod method);

} // namespace keyswap::simulator
