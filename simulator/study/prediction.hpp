#pragma once

/// \file The phases in which published runs are recorded, measured or predicted.

#include "simulator/study/simulation.hpp"
#include "traces/measurements/measurement.hpp"

#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Times of a run's phases; each lasts as long as its slowest GPU.
struct PhaseTimes {
    double host_to_device_ms = 0.0;
    std::vector<double> histogram_ms; ///< [passes]
    std::vector<double> scatter_ms;   ///< [passes]
    double key_swap_ms = 0.0;
    double sort_ms = 0.0; ///< with the copy back, overlapped or not
    double total_ms = 0.0;
};

/// A pass's value, 0 where there were fewer passes.
[[nodiscard]] double at_or_zero(std::vector<double> const& values, std::size_t index);

/// A measured configuration: the median of its runs, phase by phase.
struct MeasuredConfiguration {
    Measurement first; ///< any run of it: names, sizes, GPUs
    int passes = 0;
    std::size_t runs = 0;
    PhaseTimes times;
    double spread = 0.0; ///< half the middle range of the runs' totals, part of the median
};

/// Groups runs of the same configuration, in order of first appearance.
[[nodiscard]] std::vector<MeasuredConfiguration>
measured_configurations(std::span<Measurement const> runs);

/// The simulation that predicts a measured configuration.
/// \return an error where its algorithm, key type or distribution has no counterpart here
[[nodiscard]] Expected<SimulationRequest> request_of(Measurement const& run);

[[nodiscard]] PhaseTimes phase_times(Simulation const& simulation);

} // namespace keyswap::simulator
