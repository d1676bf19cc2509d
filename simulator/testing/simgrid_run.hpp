#pragma once

/// \file Runs flows in SimGrid, an independent implementation, for comparison (test-only).

#include "simulator/network/flow_benchmark.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::simulator {

struct SimGridEnds {
    std::vector<double> seconds; ///< when each flow ends
    double cpu_seconds = 0.0;    ///< of the simulation alone, without building the platform
};

/// Runs the scenario with SimGrid's CM02 model, all factors 1. One call per process: SimGrid's
/// engine is a singleton. \pre all weights are 1
/// \param ceilings_Bps by flow; each becomes a link of its own; empty = none
[[nodiscard]] SimGridEnds run_in_simgrid(FlowScenario const& scenario,
                                         std::vector<double> const& ceilings_Bps = {});

/// Seconds of one copy on a platform file of export_simgrid(), parsed and run by SimGrid. One call
/// per process. \throws SimGrid's exception for a file that it cannot read
[[nodiscard]] double copy_seconds_in_simgrid(std::string const& platform_file,
                                             std::string const& source,
                                             std::string const& destination,
                                             std::uint64_t size_bytes);

} // namespace keyswap::simulator
