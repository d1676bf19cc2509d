#pragma once

/// \file Time of a shortest-path search on one GPU, from the work of its rounds and a device's
/// partitioning constants: no constant is specific to searches.

#include "model/graphs/delta_stepping.hpp"
#include "simulator/cost/rate_profile.hpp"

#include <optional>
#include <span>

namespace keyswap::simulator {

/// Work of a search, summed over its rounds. All costs are linear in it, so sums suffice.
struct SearchWork {
    double rounds = 0.0;   ///< that relaxed edges
    double advances = 0.0; ///< near-far: rounds that only took from the far pile
    double pending = 0.0;  ///< vertices waiting, summed over rounds
    double piled = 0.0;    ///< of these, on the pile when it advanced
    double frontier = 0.0; ///< vertices whose edges were relaxed
    double improved = 0.0; ///< vertices that became nearer
    double edges = 0.0;    ///< relaxed
};

[[nodiscard]] SearchWork work_of(std::span<RelaxationRecord const> rounds,
                                 std::uint64_t relaxed_edges);

struct SearchTime {
    double launches_ms = 0.0;
    double relaxing_ms = 0.0;
    double reorganising_ms = 0.0; ///< of waiting vertices

    [[nodiscard]] double total_ms() const { return launches_ms + relaxing_ms + reorganising_ms; }
};

/// An edge costs the 8 bytes of its row and one scattered access (its end's distance), a frontier
/// vertex the same, an improved vertex two scattered accesses and 8 bytes as a waiting pair.
/// Waiting vertices are reorganised each round: `multisplit` splits pairs into 10 buckets,
/// `bucketing` sorts them with the library, `near-far` splits improved vertices in two, and its
/// pile twice per advance. Each operation takes at least the launch of a scan: three to relax, and
/// to reorganise as many as it has stages or a sort has counts, scans and moves. Profiles with
/// `fused` kernels are this project's: four and one. Source: GPU Multisplit, section 7.2;
/// kernels/graphs/path_kernels.hpp.
/// \return nullopt if the profile lacks the costs
[[nodiscard]] std::optional<SearchTime>
search_time(RateProfile const& profile, model::PathMethod method, SearchWork const& work);

} // namespace keyswap::simulator
