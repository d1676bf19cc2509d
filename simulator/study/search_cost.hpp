#pragma once

/// \file How long a search for shortest paths takes on one GPU, from what its rounds did and the
/// constants that partitions have: no constant is a search's own.

#include "model/graphs/delta_stepping.hpp"
#include "simulator/cost/rate_profile.hpp"

#include <optional>
#include <span>

namespace keyswap::simulator {

/// What a search did, summed over its rounds. Every cost is linear in these, so that sums do.
struct SearchWork {
    double rounds = 0.0;   ///< that relaxed edges
    double advances = 0.0; ///< near-far: rounds that took from the far pile alone
    double pending = 0.0;  ///< vertices that waited, each round
    double piled = 0.0;    ///< of them, those on the pile where it advanced
    double frontier = 0.0; ///< vertices whose edges were relaxed
    double improved = 0.0; ///< vertices that became nearer
    double edges = 0.0;    ///< relaxed
};

[[nodiscard]] SearchWork work_of(std::span<RelaxationRecord const> rounds,
                                 std::uint64_t relaxed_edges);

struct SearchTime {
    double launches_ms = 0.0;
    double relaxing_ms = 0.0;
    double reorganising_ms = 0.0; ///< what waits

    [[nodiscard]] double total_ms() const { return launches_ms + relaxing_ms + reorganising_ms; }
};

/// An edge costs the 8 bytes of its row and one place apart (the distance at its end), a vertex of
/// the frontier the same, one that became nearer two places and the 8 bytes that it waits with.
/// What waits is brought into order each round: `multisplit` by one of pairs into 10 buckets,
/// `bucketing` by the library's sort, `near-far` by splitting what became nearer in two, and its
/// pile twice where it advances. Each of these operations takes, however little there is, as long
/// as a scan of counters: relaxing three, and reorganising as many as it has stages or a sort has
/// counts, scans and moves. A profile with `fused` kernels is of this project's: four and one.
/// Source: GPU Multisplit, section 7.2; kernels/graphs/path_kernels.hpp.
/// \return nothing where the profile lacks the costs
[[nodiscard]] std::optional<SearchTime>
search_time(RateProfile const& profile, model::PathMethod method, SearchWork const& work);

} // namespace keyswap::simulator
