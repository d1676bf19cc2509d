#pragma once

/// \file Fits the constants of a device profile, and the efficiencies of a platform's links, to
/// measured runs.
///
/// Every phase of at least a millisecond gives an equation predicted(constants) / measured = 1.
/// Each round linearizes the simulator at the current constants by finite differences and solves
/// for the constants x >= 0 that minimize the squared relative errors. Few rows that no constants
/// explain must not distort the rest: a row's weight falls once its error exceeds `robust_error`. A
/// weak regularization towards the start keeps constants in place that the runs do not determine.

#include "simulator/prediction/prediction.hpp"

#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

struct CalibrationOptions {
    int rounds = 4;
    double phase_ms_min = 1.0;  ///< shorter phases are ignored
    double robust_error = 0.03; ///< relative; weights fall above it
    double pull = 0.05;         ///< weight of the regularization, relative to one row
    int hold_out_every = 0;     ///< every n-th configuration is held out; 0 = none
    bool fit_links = true;
};

struct CalibratedConstant {
    std::string name;
    std::string unit;
    double before = 0.0;
    double after = 0.0;
    double confidence = 0.0; ///< half width of the 95 % interval
    bool identified = false; ///< given all others, the runs determine it better than the pull does
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
    std::vector<Residual> residuals;          ///< of the fitted rows
    std::vector<Residual> held_out_residuals; ///< of configurations held out of the fit
};

/// \return an error if a run cannot be simulated, or no phase is long enough
[[nodiscard]] Expected<Calibration> calibrate(Machine const& machine,
                                              std::span<Measurement const> runs,
                                              CalibrationOptions const& options);

} // namespace keyswap::simulator
