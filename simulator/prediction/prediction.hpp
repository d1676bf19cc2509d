#pragma once

/// \file Measured and predicted runs by the phases in which published runs are recorded.

#include "simulator/prediction/simulation.hpp"
#include "traces/measurements/measurement.hpp"

#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Durations of a run's phases; each is that of its slowest GPU.
struct PhaseTimes {
    double host_to_device_ms = 0.0;
    std::vector<double> histogram_ms; ///< [passes]
    std::vector<double> scatter_ms;   ///< [passes]
    double key_swap_ms = 0.0;
    double sort_ms = 0.0; ///< including the copy back, overlapped or not
    double total_ms = 0.0;
};

/// values[index], or 0 if the run had fewer passes.
[[nodiscard]] double value_or_zero(std::vector<double> const& values, std::size_t index);

/// The middle of ascending values, or the mean of both middle ones; 0 without values.
[[nodiscard]] double median_of_sorted(std::span<double const> values);

/// A measured configuration with the median of its runs, per phase.
struct MeasuredConfiguration {
    Measurement first; ///< one of its runs: names, sizes, GPUs
    int passes = 0;
    std::size_t runs = 0;
    PhaseTimes times;
    double spread = 0.0; ///< half the range of totals without both extremes / median; 0 if < 3 runs
};

/// Groups runs by configuration, in order of first appearance.
[[nodiscard]] std::vector<MeasuredConfiguration>
measured_configurations(std::span<Measurement const> runs);

/// Converts a measured configuration to the request that predicts it.
/// \return an error if the simulator has no such algorithm, key type or distribution
[[nodiscard]] Expected<SimulationRequest> request_of(Measurement const& run);

[[nodiscard]] PhaseTimes phase_times(Simulation const& simulation);

} // namespace keyswap::simulator
