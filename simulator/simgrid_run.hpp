#pragma once

/// \file The same flows run by SimGrid (test-only): an independent implementation to compare with.

#include "simulator/flow_benchmark.hpp"

#include <vector>

namespace keyswap::simulator {

struct SimGridEnds {
    std::vector<double> seconds; ///< when each flow ends
    double wall_seconds = 0.0;   ///< the simulation alone, without building the platform
};

/// Runs the scenario with SimGrid's CM02 model, all factors 1. One call a process: SimGrid's engine
/// is a singleton. \pre weights are 1
/// \param ceilings_Bps by flow, each becomes a link of its own; empty = none
[[nodiscard]] SimGridEnds run_in_simgrid(FlowScenario const& scenario,
                                         std::vector<double> const& ceilings_Bps = {});

} // namespace keyswap::simulator
