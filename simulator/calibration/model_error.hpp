#pragma once

/// \file Error of the model apart from its constants, by class: machine, sort and key placement.
/// Errors of classes come from held-out runs (calibration/held_out_runs.hpp).

#include "simulator/prediction/simulation.hpp"

#include <string>

namespace keyswap::simulator {

/// Error of one class of predictions.
struct ModelError {
    std::string error_class; ///< "published on ac922", "ours on one GPU bound by launches"
    double error = 0.0;      ///< nine of ten errors are smaller; relative to the total
    bool is_assumed = false; ///< no held-out run is similar
};

/// Cost of a CPU sort by the machine's host profile.
/// \pre the request names a CPU sort that the profile contains, as after a simulation
[[nodiscard]] CpuSortCost cost_of_cpu_sort(Machine const& machine,
                                           SimulationRequest const& request);

/// Threads of such a sort: the requested number, or as many as were measured.
[[nodiscard]] int cpu_threads_of(Machine const& machine, SimulationRequest const& request);

/// Independent errors of the class, of other keys or CPUs, and of a network add in quadrature.
[[nodiscard]] ModelError model_error(Machine const& machine, Simulation const& simulation);

} // namespace keyswap::simulator
