#pragma once

/// \file What the model is off by besides its constants, by class: the machine, the sort and what
/// the sort needs. Errors of classes are those of held-out runs (study/held_out_runs.hpp).

#include "simulator/study/simulation.hpp"

#include <string>

namespace keyswap::simulator {

/// What predictions of one class are off by.
struct ModelError {
    std::string error_class; ///< "published on ac922", "ours on one GPU bound by launches"
    double error = 0.0;      ///< of the total, as a part of it, that nine of ten predictions keep
    bool is_assumed = false; ///< no held-out run is like it
};

/// What the machine's host profile says of a sort on the CPU.
/// \pre the request names such a sort, and the machine's profile has it, as one that was simulated
[[nodiscard]] CpuSortCost cost_of_cpu_sort(Machine const& machine,
                                           SimulationRequest const& request);

/// Threads of such a sort: as asked for, or as many as were measured.
[[nodiscard]] int cpu_threads_of(Machine const& machine, SimulationRequest const& request);

/// Parts of different reasons are independent and add up in squares.
[[nodiscard]] ModelError model_error(Machine const& machine, Simulation const& simulation);

} // namespace keyswap::simulator
