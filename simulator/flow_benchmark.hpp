#pragma once

/// \file The engine's speed: flows that start at once, from 2 to 576 GPUs.

#include "simulator/max_min.hpp"
#include "simulator/platform.hpp"
#include "simulator/topology.hpp"

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace keyswap::simulator {

/// Flows that start at time 0.
struct FlowScenario {
    std::vector<double> capacities_Bps;
    std::vector<std::vector<ChannelShare>> routes; ///< by flow
    std::vector<double> sizes_bytes;
};

/// Every GPU sends to every other: sizes are uniform in [0.5, 1.5] * mean, drawn from `seed`.
[[nodiscard]] FlowScenario all_to_all(Topology const& topology,
                                      std::uint32_t gpu_count,
                                      double size_bytes_mean,
                                      std::uint64_t seed);

/// When each flow ends, in seconds.
struct FlowEnds {
    std::vector<double> seconds;
    std::uint64_t ratings = 0;
};

[[nodiscard]] FlowEnds run_flows(FlowScenario const& scenario, double rerating_tolerance = 0.0);

/// Prints the table of flows against time, and the error of shared re-ratings. Wall-clock times
/// differ from run to run; all other columns do not.
/// \param gpu_count_max the largest case: 576 takes minutes when exact
void run_flow_benchmark(std::ostream& out, std::uint32_t gpu_count_max = 72);

} // namespace keyswap::simulator
