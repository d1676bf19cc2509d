#pragma once

/// \file Fits the constants of a device profile, and the achieved capacities of a platform's links,
/// to measured runs.
///
/// Every phase of at least a millisecond gives an equation predicted(constants) / measured = 1. The
/// simulator is linearized at the present constants by finite differences, the constants that
/// minimize the squared relative errors are found under x >= 0, and the two steps repeat. Few rows
/// that no constants explain must not bend the rest: a row's weight falls with its error beyond
/// `robust_error`. A weak pull to the start keeps constants in place that the runs do not show.

#include "simulator/study/prediction.hpp"

#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

struct CalibrationOptions {
    int rounds = 4;
    double phase_ms_min = 1.0;  ///< shorter phases are left out
    double robust_error = 0.03; ///< relative; from here on weights fall
    double pull = 0.05;         ///< weight of staying at the start, relative to one row
    int hold_out_every = 0;     ///< every so many configurations one is kept out; 0 = none
    bool fit_links = true;
};

struct CalibratedConstant {
    std::string name;
    std::string unit;
    double before = 0.0;
    double after = 0.0;
    double confidence = 0.0; ///< half width of the 95 % interval
    bool identified = false; ///< beside all others the runs determine it better than the pull does
};

struct Residual {
    std::string configuration;
    std::string phase;
    double measured_ms = 0.0;
    double error = 0.0; ///< predicted / measured - 1, after the fit
};

struct Calibration {
    Machine machine; ///< with the fitted constants
    std::vector<CalibratedConstant> constants;
    std::vector<Residual> residuals;          ///< of the rows fitted
    std::vector<Residual> held_out_residuals; ///< of configurations that the fit never saw
};

/// \return an error where a run cannot be simulated or no row is long enough
[[nodiscard]] Expected<Calibration> calibrate(Machine const& machine,
                                              std::span<Measurement const> runs,
                                              CalibrationOptions const& options);

} // namespace keyswap::simulator
