#include "simulator/prediction/search_cost.hpp"

#include "simulator/cost/partition_cost.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {

namespace {

using model::PathMethod;

constexpr int distance_bits = 32;
constexpr double element_bytes = 8.0; ///< a vertex and distance, or an edge's end and weight

/// Operations that the law of reorganising does not include.
struct SearchOperations {
    double round = 0.0;
    double advance = 0.0;
};

SearchOperations
operations_of(RateProfile const& profile, PathMethod method, SearchWork const& work) {
    constexpr double stages = 3.0; // count or flag, scan, move
    double const passes = std::ceil(distance_bits / profile.radix->pass_bits);
    if (profile.fused) {
        constexpr double relaxing = 4.0;
        constexpr double tile_pairs = 256.0 * 19.0; // sorted by one block in CUB 3.0
        if (method != PathMethod::bucketing) {
            return {relaxing + 1.0, stages};
        }
        // Counts all digits and scans them at once; afterwards counts the buckets.
        bool const one_tile = work.pending <= tile_pairs * work.rounds;
        return {relaxing + (one_tile ? 1.0 : passes + 2.0) + 1.0, 0.0};
    }
    constexpr double relaxing = 3.0;
    switch (method) {
    case PathMethod::multisplit: // its law includes the scan
        return {relaxing + stages - 1.0, 0.0};
    case PathMethod::bucketing:
        return {relaxing + stages * passes, 0.0};
    case PathMethod::near_far: // the pile is cleaned, then split
        return {relaxing + stages, 2.0 * stages};
    }
    return {};
}

/// Pairs of a distance (key) and its vertex (value).
PartitionLoad pairs(double count) {
    PartitionLoad load;
    load.rule = "delta";
    load.value_bytes = 4;
    load.key_count = static_cast<std::uint64_t>(count);
    return load;
}

/// Time to reorganise waiting vertices, in all rounds.
std::optional<double>
reorganising_ms(RateProfile const& profile, PathMethod method, SearchWork const& work) {
    // Uses an average round, since the law of a multisplit includes the launch of a scan.
    double const parts = std::max(1.0, work.rounds);
    auto const split_ms = [&](std::string_view split, std::uint32_t buckets, double count) {
        PartitionLoad load = pairs(std::ceil(count / parts));
        load.method = split;
        load.buckets = buckets;
        auto const stages = multisplit_cost(profile, load);
        return stages ? std::optional(parts * stages->total_ms()) : std::nullopt;
    };
    switch (method) {
    case PathMethod::multisplit:
        return split_ms(profile.fused ? "fused" : "warp", model::path_buckets, work.pending);
    case PathMethod::bucketing:
        return radix_sort_ms(profile, pairs(work.pending), distance_bits);
    case PathMethod::near_far:
        return split_ms(
            profile.fused ? "split1" : "scan-split", 2, work.improved + 2.0 * work.piled);
    }
    return std::nullopt;
}

} // namespace

SearchWork work_of(std::span<RelaxationRecord const> rounds, std::uint64_t relaxed_edges) {
    SearchWork work;
    work.edges = static_cast<double>(relaxed_edges);
    for (RelaxationRecord const& round : rounds) {
        bool const relaxes = round.frontier > 0;
        auto const pending = static_cast<double>(round.pending);
        (relaxes ? work.rounds : work.advances) += 1.0;
        work.pending += pending;
        work.piled += relaxes ? 0.0 : pending;
        work.frontier += static_cast<double>(round.frontier);
        work.improved += static_cast<double>(round.improved);
    }
    return work;
}

std::optional<SearchTime>
search_time(RateProfile const& profile, model::PathMethod method, SearchWork const& work) {
    if (!profile.partition || !profile.radix) {
        return std::nullopt;
    }
    auto const reorganising = reorganising_ms(profile, method, work);
    if (!reorganising) {
        return std::nullopt;
    }
    SearchOperations const operations = operations_of(profile, method, work);
    double const operation_ms = profile.scan_launch_us * 1e-3;
    double const place_ps = profile.partition->run_ps;
    double const moved_ps = element_bytes * 1e3 / profile.bandwidth_GBps;
    SearchTime time;
    time.launches_ms =
        operation_ms * (work.rounds * operations.round + work.advances * operations.advance);
    time.relaxing_ms = 1e-9 * ((work.edges + work.frontier) * (moved_ps + place_ps) +
                               work.improved * (moved_ps + 2.0 * place_ps));
    time.reorganising_ms = *reorganising;
    return time;
}

} // namespace keyswap::simulator
