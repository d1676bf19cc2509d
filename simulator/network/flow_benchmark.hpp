#pragma once

/// \file Benchmark of the flow solver: simultaneous flows between 2 to 576 GPUs.

#include "simulator/network/max_min.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/topology.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Flows that all start at time 0.
struct FlowScenario {
    std::vector<double> capacities_Bps;
    std::vector<std::vector<ChannelShare>> routes; ///< by flow
    std::vector<double> sizes_bytes;
    std::string platform{}; ///< name; empty if not made from a platform
};

/// An all-to-all among the GPUs: sizes are uniform in [0.5, 1.5] * mean, drawn from `seed`.
[[nodiscard]] FlowScenario all_to_all(Topology const& topology,
                                      std::uint32_t gpu_count,
                                      double size_bytes_mean,
                                      std::uint64_t seed);

/// End time of each flow.
struct FlowEnds {
    std::vector<double> seconds;
    std::uint64_t solves = 0; ///< number of max-min solutions
};

[[nodiscard]] FlowEnds run_flows(FlowScenario const& scenario, double rate_tolerance = 0.0);

/// All-to-all of `gpu_count` GPUs with 100 MB per flow on average: on hgx-h200 up to 8 GPUs, on
/// gb200-nvl72 up to 72, beyond that on a cluster of DGX H100 nodes. \pre gpu_count >= 2
[[nodiscard]] Expected<FlowScenario> benchmark_scenario(std::uint32_t gpu_count);

/// Largest relative difference between end times. \pre both are of the same flows
[[nodiscard]] double worst_relative_error(FlowEnds const& ends, FlowEnds const& reference);

} // namespace keyswap::simulator
