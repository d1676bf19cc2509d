#pragma once

#include "simulator/study/certainty.hpp"
#include "simulator/study/simulation.hpp"
#include "tools/report/run_view.hpp"
#include "tools/text/json.hpp"

#include <span>

namespace keyswap::tools {

/// A simulated sort as the page's script reads it (DATA.md).
[[nodiscard]] Json simulation_data(simulator::Machine const& machine,
                                   simulator::Simulation const& simulation,
                                   simulator::Certainty const& certainty);

/// How long phases of several runs last: predicted ones and measured ones.
struct PhaseDurations {
    std::string name;      ///< of the run, or the algorithm
    bool measured = false; ///< else predicted
    struct Phase {
        std::string name;
        int pass = 0;
        double duration_ms = 0.0; ///< of its slowest GPU
        friend bool operator==(Phase const&, Phase const&) = default;
    };
    std::vector<Phase> phases; ///< in the order in which they begin
    double total_ms = 0.0;
    /// From a GPU's first bucket sort to the end of its copy back, of the slowest GPU.
    double sort_and_copy_back_ms = 0.0;
};

[[nodiscard]] PhaseDurations phase_durations(simulator::Simulation const& simulation);
/// No phases where the run has no times.
[[nodiscard]] PhaseDurations phase_durations(RunView const& view);

/// Phase bars of several runs. Errors are against the measured run, where there is exactly one.
[[nodiscard]] Json comparison_data(std::span<PhaseDurations const> runs);

} // namespace keyswap::tools
