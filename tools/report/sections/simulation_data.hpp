#pragma once

#include "simulator/calibration/certainty.hpp"
#include "simulator/prediction/simulation.hpp"
#include "tools/report/run_view.hpp"
#include "tools/text/json.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// A simulated sort as input of the page's script (DATA.md).
[[nodiscard]] Json simulation_data(simulator::Machine const& machine,
                                   simulator::Simulation const& simulation,
                                   simulator::Certainty const& certainty);

/// Durations of a run's phases, predicted or measured.
struct PhaseDurations {
    std::string name;      ///< of the run or algorithm
    bool measured = false; ///< false: predicted
    struct Phase {
        std::string name;
        int pass = 0;
        double duration_ms = 0.0; ///< on the slowest GPU
        friend bool operator==(Phase const&, Phase const&) = default;
    };
    std::vector<Phase> phases; ///< by begin
    double total_ms = 0.0;
    /// Slowest GPU's time from its first bucket sort to the end of its copy back, ms.
    double sort_and_copy_back_ms = 0.0;
};

[[nodiscard]] PhaseDurations phase_durations(simulator::Simulation const& simulation);
/// Without phases if the run has no times.
[[nodiscard]] PhaseDurations phase_durations(RunView const& view);

/// Phase bars of several runs, with errors relative to the measured run if there is exactly one.
[[nodiscard]] Json comparison_data(std::vector<PhaseDurations> runs);

} // namespace keyswap::tools
