#pragma once

/// \file The same flows run by SimGrid (test-only): an independent implementation to compare with.

#include "simulator/network/flow_benchmark.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::simulator {

struct SimGridEnds {
    std::vector<double> seconds; ///< when each flow ends
    double cpu_seconds = 0.0;    ///< of the simulation alone, without building the platform
};

/// Runs the scenario with SimGrid's CM02 model, all factors 1. One call a process: SimGrid's engine
/// is a singleton. \pre weights are 1
/// \param ceilings_Bps by flow, each becomes a link of its own; empty = none
[[nodiscard]] SimGridEnds run_in_simgrid(FlowScenario const& scenario,
                                         std::vector<double> const& ceilings_Bps = {});

/// How long one copy takes on a platform file as export_simgrid writes it, by SimGrid's own reading
/// of that file. One call a process. \throws what SimGrid throws at a file that it cannot read
[[nodiscard]] double copy_seconds_in_simgrid(std::string const& platform_file,
                                             std::string const& source,
                                             std::string const& destination,
                                             std::uint64_t size_bytes);

} // namespace keyswap::simulator
