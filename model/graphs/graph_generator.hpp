#pragma once

#include "model/graphs/graph.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Incremented when a seed yields another graph or other weights.
inline constexpr int graph_generator_version = 1;

/// 2^scale vertices and degree x 2^scale directed edges; `scale` random quadrants with
/// probabilities 0.5, 0.1, 0.1, 0.3 select each edge. Source: Chakrabarti, Zhan, Faloutsos: R-MAT,
/// SDM 2004; probabilities of GPU Multisplit, table 9.
/// \pre scale <= 22
[[nodiscard]] EdgeList rmat_edges(int scale, std::uint32_t degree, std::uint64_t seed);

/// A lattice of side x side vertices as a model of a road network: all edges along rows and the
/// first column, and a tenth of those along other columns, in both directions. Its mean degree of
/// 2.2 is that of the paper's belgium_osm.
[[nodiscard]] EdgeList grid_edges(std::uint32_t side, std::uint64_t seed);

/// 2^scale vertices and degree / 2 x 2^scale edges in both directions. End points are drawn with
/// weights (i + 1)^(-1/2), which gives a power-law tail of exponent 3 (Chung and Lu, PNAS 2002). A
/// model of the paper's citation and contact graphs.
/// \pre scale <= 22
[[nodiscard]] EdgeList power_law_edges(std::uint32_t degree, int scale, std::uint64_t seed);

/// Generates a graph or reads it from a file. Weights missing from a file are drawn uniformly from
/// 0..1000.
/// \param text command line argument, one of graph_forms
[[nodiscard]] Expected<Graph> load_graph(std::string_view text, std::uint64_t seed);

} // namespace keyswap::model
