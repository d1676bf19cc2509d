#pragma once

/// \file Shortest paths by rounds that relax the edges of near vertices together. Rounds are
/// synchronous: all of a round's relaxations read the distances at its start, so that which
/// vertices a round takes and improves does not depend on any order, and two implementations can be
/// compared round by round. Sources: Meyer and Sanders: Delta-stepping, J. Algorithms 2003;
/// Davidson et al.: Work-efficient parallel GPU methods for single-source shortest paths, IPDPS
/// 2014; GPU Multisplit, section 7.2.

#include "model/graphs/graph.hpp"
#include "model/graphs/shortest_paths.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// How the vertices that wait are brought into order.
enum class PathMethod {
    multisplit, ///< a multisplit of all that wait into 10 buckets of width Delta; the first is
                ///< relaxed
    bucketing,  ///< the same, by sorting all that wait
    near_far    ///< those below a splitting distance are relaxed, the others pile up
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

/// max(1, 32 x mean weight / mean degree). Source: Davidson et al. 2014, where GPU Multisplit names
/// none.
[[nodiscard]] std::uint32_t standard_delta(Graph const& graph);

/// \param rounds_most where to stop, though vertices wait
/// \pre source is a vertex; delta is at least 1
[[nodiscard]] PathRun
relax_in_rounds(Graph const& graph,
                std::uint32_t source,
                PathMethod method,
                std::uint32_t delta,
                std::uint64_t rounds_most = std::numeric_limits<std::uint64_t>::max());

/// Writes the rounds, the last one with the distances, as a run records them.
void record_paths(PathRun const& run, TraceSink& sink);

} // namespace keyswap::model
