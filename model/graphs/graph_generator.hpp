#pragma once

#include "model/graphs/graph.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Changes when a seed would give another graph or other weights.
inline constexpr int graph_generator_version = 1;

/// 2^scale vertices and degree x 2^scale directed edges, each by `scale` draws of a quadrant with
/// probabilities 0.5, 0.1, 0.1, 0.3. Source: Chakrabarti, Zhan, Faloutsos: R-MAT, SDM 2004;
/// probabilities of GPU Multisplit, table 9.
/// \pre scale <= 22
[[nodiscard]] EdgeList rmat_edges(int scale, std::uint32_t degree, std::uint64_t seed);

/// A lattice of side x side vertices that stands for a road network: all edges along rows and the
/// first column, and a tenth of those along other columns, in both directions; mean degree 2.2 like
/// that of the paper's belgium_osm.
[[nodiscard]] EdgeList grid_edges(std::uint32_t side, std::uint64_t seed);

/// 2^scale vertices and degree / 2 x 2^scale edges in both directions, whose ends are drawn with
/// weights (i + 1)^(-1/2), which gives degrees a power-law tail of exponent 3 (Chung and Lu, PNAS
/// 2002). Stands for the paper's citation and contact graphs.
/// \pre scale <= 22
[[nodiscard]] EdgeList power_law_edges(std::uint32_t degree, int scale, std::uint64_t seed);

/// A generated graph or one from a file, as the command line names it. All weights that no file
/// gives are drawn from 0..1000.
/// \param text one of graph_forms
[[nodiscard]] Expected<Graph> load_graph(std::string_view text, std::uint64_t seed);

} // namespace keyswap::model
