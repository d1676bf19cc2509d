#pragma once

/// \file How sure a prediction is: the error of the model where its constants were measured, and
/// what the constants that are only assumed make of it.

#include "simulator/study/machine_constants.hpp"
#include "simulator/study/model_error.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace keyswap::simulator {

struct CertaintyOptions {
    /// So many assumed constants are moved through their ranges, two simulations each, those first
    /// that may change most; fewer, but four at least, where tasks_in_all would not do.
    std::size_t simulated_max = 40;
    std::size_t tasks_in_all = 400'000; ///< of the graphs of all these simulations
    /// Of graphs with more tasks nothing is simulated again: what a constant may change is taken
    /// from the time that it takes part in.
    std::size_t tasks_max = 50'000;
    double rate_tolerance = 1e-2;   ///< of these simulations
    double change_min = 0.002;      ///< part of the total; less is not worth a word
    std::vector<std::string> given; ///< constants that --assume set, which are not moved
};

/// What an assumed constant makes of the total.
struct AssumptionEffect {
    MachineConstant constant;
    double low_ms = 0.0;  ///< the total where the constant is at its low end
    double high_ms = 0.0; ///< the same at its high end
    bool simulated = false;
};

struct Certainty {
    double low_ms = 0.0;
    double high_ms = 0.0;
    ModelError model;                      ///< of the class, as a part of the total
    std::vector<AssumptionEffect> effects; ///< those that change the total most first
};

/// The interval in which nine of ten measured totals lie: independent errors add up in squares. A
/// scatter that takes place or not by a handful of keys is one of them, and so is the
/// draw of a sample.
/// \return an error where the machine cannot be simulated again
[[nodiscard]] Expected<Certainty> certainty_of(Machine const& machine,
                                               Simulation const& simulation,
                                               CertaintyOptions const& options = {});

/// An assumed constant that decides which of two sorts is the faster one.
struct TurningPoint {
    MachineConstant constant;
    double value = 0.0;   ///< within a hundredth of the range: from here on the order is another
    bool upwards = false; ///< above the value, else below
    bool beyond = false;  ///< outside the constant's range, though not by more than its width
};

/// The assumed constants that turn an order inside their ranges or as far again outside of them,
/// those that matter most first; none of graphs with more than tasks_max tasks, of which nothing is
/// simulated again. \param faster, slower predictions on the same machine \return an error where
/// the machine cannot be simulated again
[[nodiscard]] Expected<std::vector<TurningPoint>>
turning_points(Machine const& machine,
               Simulation const& faster,
               Simulation const& slower,
               CertaintyOptions const& options = {});

} // namespace keyswap::simulator
