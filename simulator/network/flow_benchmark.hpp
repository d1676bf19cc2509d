#pragma once

/// \file The engine's speed: flows that start at once, from 2 to 576 GPUs.

#include "simulator/network/max_min.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/topology.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Flows that start at time 0.
struct FlowScenario {
    std::vector<double> capacities_Bps;
    std::vector<std::vector<ChannelShare>> routes; ///< by flow
    std::vector<double> sizes_bytes;
    std::string platform{}; ///< its name; empty where there is none
};

/// Every GPU sends to every other: sizes are uniform in [0.5, 1.5] * mean, drawn from `seed`.
[[nodiscard]] FlowScenario all_to_all(Topology const& topology,
                                      std::uint32_t gpu_count,
                                      double size_bytes_mean,
                                      std::uint64_t seed);

/// When each flow ends, in seconds.
struct FlowEnds {
    std::vector<double> seconds;
    std::uint64_t solves = 0; ///< times that rates were computed
};

[[nodiscard]] FlowEnds run_flows(FlowScenario const& scenario, double rate_tolerance = 0.0);

/// The all-to-all of `gpu_count` GPUs with 100 MB a flow on average: on hgx-h200 up to 8 GPUs, on
/// gb200-nvl72 up to 72, beyond on as many DGX H100 nodes as it takes. \pre gpu_count >= 2
[[nodiscard]] Expected<FlowScenario> benchmark_scenario(std::uint32_t gpu_count);

/// Largest relative difference of a flow's end. \pre both are of the same flows
[[nodiscard]] double worst_relative_error(FlowEnds const& ends, FlowEnds const& reference);

} // namespace keyswap::simulator
