#pragma once

/// \file What the model is off by beside its constants, by class: the machine, the sort and what
/// the sort needs. Each number is an estimate from errors of held-out totals, not a fit to them
/// (simulator/FIGURES.md, "Intervals").

#include "simulator/study/simulation.hpp"

namespace keyswap::simulator {

/// The error of a prediction's total, as a part of it, that nine of ten such predictions are
/// meant to keep. Parts of different reasons are independent and add up in squares.
[[nodiscard]] double model_error(Machine const& machine, Simulation const& simulation);

} // namespace keyswap::simulator
