#pragma once

/// \file Compares predictions with measurements.

#include "simulator/calibration/certainty.hpp"
#include "simulator/calibration/error_summary.hpp"
#include "simulator/calibration/held_out_runs.hpp"
#include "simulator/prediction/prediction.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// One phase of one configuration. error() = predicted / measured - 1.
struct PhaseError {
    std::string phase; ///< "total", "host to device", "partition pass 1" ...
    double measured_ms = 0.0;
    double predicted_ms = 0.0;
    [[nodiscard]] double error() const { return predicted_ms / measured_ms - 1.0; }
};

/// One configuration, measured and predicted.
struct ValidatedConfiguration {
    MeasuredConfiguration measured;
    std::optional<Certainty> certainty; ///< of the total; nullopt unless intervals were requested
    PhaseTimes predicted;
    int predicted_passes = 0;
    std::vector<PhaseError> phases; ///< those measured above 0; the total first
};

/// How many measured totals are inside the interval predicted for them.
struct Coverage {
    std::size_t count = 0;
    std::size_t inside = 0;
};

/// Whether to predict intervals too, which takes several simulations per configuration.
enum class Intervals { left_out, predicted };

struct Validation {
    std::vector<ValidatedConfiguration> configurations;
    std::size_t passes_compared = 0; ///< configurations on several GPUs whose passes are known
    std::size_t passes_equal = 0;
};

/// Configurations and phases to include in a summary.
struct SummaryFilter {
    std::uint64_t key_count_min = 0;
    std::uint64_t key_count_max = ~std::uint64_t{0};
    double phase_ms_min = 0.0; ///< measured
    [[nodiscard]] bool takes(Measurement const& run) const {
        return run.key_count >= key_count_min && run.key_count <= key_count_max;
    }
};

/// Predicts every configuration of the runs.
[[nodiscard]] Expected<Validation> validate(Machine const& machine,
                                            std::span<Measurement const> runs,
                                            Intervals intervals = Intervals::left_out);

/// Coverage over the included configurations that have an interval.
[[nodiscard]] Coverage coverage(Validation const& validation, SummaryFilter filter);

/// Coverage and error per class of predictions, in order of first appearance.
[[nodiscard]] std::vector<ClassCoverage> class_coverage(Validation const& validation,
                                                        SummaryFilter filter);

/// Errors by phase, passes of partitioning combined; the total first.
[[nodiscard]] std::vector<ErrorSummary> summarize(Validation const& validation,
                                                  SummaryFilter filter);

/// Summary of one phase; count is 0 if no configuration has it.
[[nodiscard]] ErrorSummary
summarize_phase(Validation const& validation, std::string_view phase, SummaryFilter filter);

} // namespace keyswap::simulator
