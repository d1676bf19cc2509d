#pragma once

/// \file Options of `keyswap validate`, the comparison of errors with limits, and its
/// comparisons of measurements with predictions.

#include "simulator/calibration/validation.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/text/json.hpp"
#include "traces/measurements/measurement.hpp"
#include "traces/measurements/rate_table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace keyswap::tools {

inline constexpr double phase_ms_min_default = 1.0;

/// Maximum errors of totals and of phases, as fractions.
struct ErrorLimits {
    std::optional<double> median_max;
    std::optional<double> p95_max;
    std::optional<double> worst_max;
    std::optional<double> phase_p95_max;
};

struct ValidateOptions {
    std::string file;
    std::optional<std::string> platform; ///< of measured runs; rates name their own devices
    std::optional<std::string> profile;
    std::uint64_t key_count_min = 0;
    std::optional<double> phase_ms_min;
    ErrorLimits limits;
    std::optional<std::string> hold_out;
    std::optional<std::string> operation; ///< for nccl-tests output that lacks it
    std::optional<std::string> gpus;      ///< for nccl-tests output that lacks them
    bool json = false;

    [[nodiscard]] simulator::SummaryFilter filter() const {
        return {key_count_min, ~std::uint64_t{0}, phase_ms_min.value_or(phase_ms_min_default)};
    }
};

enum class Judgement { within, exceeded, nothing_checked };

/// Compares errors with limits; nothing_checked if a given limit has no errors to compare.
/// \param summaries the first one is of totals
[[nodiscard]] Judgement judged(ErrorLimits const& limits,
                               std::span<simulator::ErrorSummary const> summaries);

[[nodiscard]] Expected<ExitCode> exit_code_of(Judgement verdict);

/// Error for a missing --platform.
[[nodiscard]] InputError missing_platform_error();

// JSON fields shared by several commands.
[[nodiscard]] Json summary_json(std::span<simulator::ErrorSummary const> summaries);
[[nodiscard]] Json coverage_json(simulator::Coverage const& coverage);
[[nodiscard]] Json within_json(Judgement verdict);

/// Covered percentage: "92 %", or "-" if there are no values.
[[nodiscard]] std::string share_text(simulator::Coverage const& coverage);

/// Prints predicted and measured times of sorts, phase by phase, or with --hold-out a
/// row for each class that constants were fitted without. \return whether the limits hold; an error
/// if there is nothing to compare
[[nodiscard]] Expected<ExitCode> validate_runs(ValidateOptions const& options,
                                               std::span<Measurement const> runs);

/// Predicts every row of a table of rates and prints errors by table and method: of rows that
/// constants were fitted to, of those held out, of those predicted from published steps, and of
/// suspect ones. Limits are on the errors of all rows that are not suspect.
/// \param file for messages
/// \return whether the limits hold; an error if there is nothing to compare
[[nodiscard]] Expected<ExitCode> validate_rates(ValidateOptions const& options,
                                                std::string const& file,
                                                std::span<PublishedRate const> rates);

} // namespace keyswap::tools
