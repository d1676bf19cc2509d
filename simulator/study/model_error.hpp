#pragma once

/// \file What the model is off by beside its constants, by class: the machine, the sort and what
/// the sort needs. Each number is what nine of ten held-out totals stayed below
/// (simulator/FIGURES.md, "Intervals").

#include "simulator/study/simulation.hpp"

namespace keyswap::simulator {

/// The error of a prediction's total, as a part of it, below which nine of ten such predictions
/// stay. Parts of different reasons are independent and add up in squares.
[[nodiscard]] double model_error(Machine const& machine, Simulation const& simulation);

} // namespace keyswap::simulator
