#pragma once

/// \file Graphs from files: MatrixMarket coordinate matrices (.mtx) and DIMACS shortest-path
/// problems (.gr). Errors name file and line.

#include "model/graphs/graph.hpp"

#include <cstdint>
#include <filesystem>

namespace keyswap::model {

/// Reads a file; its extension selects the format. A matrix entry (i, j, w) is an edge from i to j,
/// in a symmetric matrix also from j to i; weights are non-negative integers. A pattern matrix has
/// no weights; they are drawn from 0..1000 by the seed, the same for both directions. Sources:
/// Boisvert, Pozo, Remington: The Matrix Market exchange formats, NISTIR 5935 (1996); 9th DIMACS
/// implementation challenge (2006).
[[nodiscard]] Expected<EdgeList> read_graph_file(std::filesystem::path const& path,
                                                 std::uint64_t seed);

} // namespace keyswap::model
