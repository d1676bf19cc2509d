#pragma once

/// \file Uncertainty of a prediction: the model's error with measured constants, and the effect of
/// constants that are only assumed.

#include "simulator/calibration/model_error.hpp"
#include "simulator/prediction/machine_constants.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace keyswap::simulator {

struct CertaintyOptions {
    /// Most assumed constants that are varied by simulation (two each), those with the largest
    /// estimated effects first; fewer, but at least four, if tasks_in_all would be exceeded.
    std::size_t simulated_max = 40;
    std::size_t tasks_in_all = 400'000; ///< of the graphs of all these simulations
    /// Graphs with more tasks are not simulated again: effects are estimated from the time in which
    /// a constant takes part.
    std::size_t tasks_max = 50'000;
    double rate_tolerance = 1e-2;   ///< of these simulations
    double change_min = 0.002;      ///< fraction of the total; smaller effects are omitted
    std::vector<std::string> given; ///< set by --assume, hence not varied
};

/// Effect of an assumed constant on the total.
struct AssumptionEffect {
    MachineConstant constant;
    double low_ms = 0.0;  ///< total with the constant at its low end
    double high_ms = 0.0; ///< total with the constant at its high end
    bool simulated = false;
};

struct Certainty {
    double low_ms = 0.0;
    double high_ms = 0.0;
    ModelError model;                      ///< of the class, relative to the total
    std::vector<AssumptionEffect> effects; ///< descending by change of the total
};

/// The interval that contains nine of ten measured totals. Independent errors add in quadrature:
/// the model's, those of assumed constants, scatters that depend on a few keys, and the choice of a
/// sample.
/// \return an error if the machine cannot be simulated again
[[nodiscard]] Expected<Certainty> certainty_of(Machine const& machine,
                                               Simulation const& simulation,
                                               CertaintyOptions const& options = {});

/// Value of an assumed constant at which another one of two sorts becomes the faster.
struct TurningPoint {
    MachineConstant constant;
    double value = 0.0;   ///< to a hundredth of the range: the order changes here
    bool upwards = false; ///< it changes above the value, else below
    bool beyond = false;  ///< outside the range, by at most its half width
};

/// Values of assumed constants that swap two sorts' order, inside their ranges or up to as far
/// again outside, descending by effect; empty if a graph has more than tasks_max tasks, as it is
/// not simulated again. \param faster, slower predictions for the same machine
/// \return an error if the machine cannot be simulated again
[[nodiscard]] Expected<std::vector<TurningPoint>>
turning_points(Machine const& machine,
               Simulation const& faster,
               Simulation const& slower,
               CertaintyOptions const& options = {});

} // namespace keyswap::simulator
