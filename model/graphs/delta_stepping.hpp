#pragma once

/// \file Shortest paths by delta-stepping: each round relaxes the edges of a frontier of near
/// vertices. Rounds are synchronous: all relaxations of a round read the distances at its start.
/// The vertices that a round relaxes and improves therefore do not depend on any order, and
/// implementations can be compared round by round. Sources: Meyer and Sanders: Delta-stepping, J.
/// Algorithms 2003; Davidson et al.: Work-efficient parallel GPU methods for single-source shortest
/// paths, IPDPS 2014; GPU Multisplit, section 7.2.

#include "model/graphs/graph.hpp"
#include "model/graphs/shortest_paths.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// How each round orders the pending vertices.
enum class PathMethod {
    multisplit, ///< multisplit of all pending vertices into 10 buckets of width Delta; relaxes the
                ///< first
    bucketing,  ///< the same buckets, by sorting all pending vertices
    near_far    ///< relaxes vertices below a splitting distance; others go to a far pile
};

[[nodiscard]] std::string_view to_string(PathMethod method);
/// "multisplit", "bucketing" or "near-far".
[[nodiscard]] Expected<PathMethod> parse_path_method(std::string_view text);

/// Buckets of multisplit and bucketing (GPU Multisplit, section 7.2).
inline constexpr std::uint32_t path_buckets = 10;

struct PathRun {
    std::vector<std::uint32_t> distances; ///< [vertices]
    std::vector<RelaxationRecord> rounds;
    std::uint64_t relaxed_edges = 0;
};

/// The default Delta: max(1, 32 x mean weight / mean degree). Source: Davidson et al. 2014; GPU
/// Multisplit does not specify it.
[[nodiscard]] std::uint32_t default_delta(Graph const& graph);

/// \param rounds_max maximum number of rounds, even if vertices are pending
/// \pre source is a vertex; delta is at least 1
[[nodiscard]] PathRun
relax_in_rounds(Graph const& graph,
                std::uint32_t source,
                PathMethod method,
                std::uint32_t delta,
                std::uint64_t rounds_max = std::numeric_limits<std::uint64_t>::max());

/// Writes the records of all rounds; the last one includes the digest of the distances.
void record_paths(PathRun const& run, TraceSink& sink);

} // namespace keyswap::model
