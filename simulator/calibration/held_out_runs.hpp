#pragma once

/// \file Measured totals that were predicted without fitting constants to them, and the errors of
/// classes of predictions (calibration/held_out.csv, made by tools/scripts/held-out).

#include "simulator/platform/embedded_text.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// The embedded file of held-out runs.
[[nodiscard]] std::vector<EmbeddedText> embedded_held_out_runs();

/// A measured configuration and its prediction.
struct HeldOutRun {
    std::string error_class; ///< as in model_error.hpp
    std::string group;       ///< held out together: "gpus 0,2", "zipf=1"
    std::string platform;
    std::string algorithm; ///< full name
    std::uint64_t key_count = 0;
    std::string gpus; ///< "0 2"
    std::string key_type;
    std::string values;
    std::string distribution; ///< "zipf=1"
    std::string keys_on;      ///< "local", "devices", "node:0"
    double measured_ms = 0.0;
    double predicted_ms = 0.0;
    double rest = 0.0;  ///< half width of the interval without class error, relative to the total
    double reach = 1.0; ///< factor on the class error for predictions far from measured rows

    /// Relative to the prediction, as intervals are; negative if the prediction was too fast.
    [[nodiscard]] double error() const { return 1.0 - measured_ms / predicted_ms; }
};

/// \return an error naming the row that is malformed
[[nodiscard]] Expected<std::vector<HeldOutRun>> parse_held_out_runs(std::string_view text);

/// The embedded runs; parsed once.
[[nodiscard]] std::vector<HeldOutRun> const& held_out_runs();

/// Fraction of runs that intervals should contain.
inline constexpr double interval_level = 0.9;

/// The error, at a reach of 1, with which intervals contain nine of ten further runs like these: of
/// n sorted required errors, the one of rank 0.9 (n + 1). 0 without runs.
[[nodiscard]] double class_error(std::span<HeldOutRun const> runs, double level = interval_level);

/// How often the intervals of a class contain the measured total.
struct ClassCoverage {
    std::string name;
    std::size_t runs = 0;
    std::size_t inside = 0; ///< each run with the error from the other groups
    double error = 0.0;     ///< class_error() of all runs
};

/// One entry per class of runs, in order of first appearance.
[[nodiscard]] std::vector<ClassCoverage> class_coverage(std::span<HeldOutRun const> runs,
                                                        double level = interval_level);

/// Coverage of a class among the embedded runs; 0 runs if the class has none.
[[nodiscard]] ClassCoverage held_out_coverage(std::string_view error_class);

} // namespace keyswap::simulator
