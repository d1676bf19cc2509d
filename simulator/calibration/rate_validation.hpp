#pragma once

/// \file Compares tables of published rates with predictions from the devices' rate profiles.

#include "simulator/calibration/error_summary.hpp"
#include "simulator/cost/rate_profile.hpp"
#include "traces/measurements/rate_table.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Profiles by the device names in the rows.
using RateProfiles = std::map<std::string, RateProfile, std::less<>>;

/// Loads the shipped profiles of all devices in the rows. \param file for messages
/// \return an error with file, line and device if a device has no profile
[[nodiscard]] Expected<RateProfiles> profiles_of(std::span<PublishedRate const> rates,
                                                 std::string const& file);

/// Basis of a prediction.
enum class RateBasis {
    constants, ///< the device's profile
    steps      ///< published rates of the steps, from other rows of the file
};

/// A row and its prediction.
struct PredictedRate {
    PublishedRate rate;
    double published = 0.0;          ///< ms, or the ratio if the row is a ratio
    std::optional<double> predicted; ///< same unit; nullopt without a law
    RateBasis basis = RateBasis::constants;

    /// predicted / published - 1. \pre predicted has a value
    [[nodiscard]] double error() const { return *predicted / published - 1.0; }
};

/// Milliseconds of a row from its device's constants alone; nullopt if no law covers it, as for the
/// rows of SimulatedRates.
/// \pre the row is a time or rate, not a ratio
[[nodiscard]] std::optional<double> rate_ms(RateProfile const& profile, PublishedRate const& rate);

/// Predicts every row. Sorts and multisplits composed of published steps (multisplit-sort: a
/// multisplit per digit; reduced-bit: labels and the library's sort on their bits) are predicted
/// from the steps if the file has them all. \pre profiles of all devices
[[nodiscard]] std::vector<PredictedRate> predict_rates(std::span<PublishedRate const> rates,
                                                       RateProfiles const& profiles);

/// Errors of all rows that have a prediction and are not suspect.
[[nodiscard]] ErrorSummary errors_of_usable(std::span<PredictedRate const> rates);

/// A table, or one method's rows in it (its totals, or its stages).
struct RateGroup {
    std::string source;
    std::string table;
    std::string method; ///< empty: the whole table
    ErrorSummary fitted;
    ErrorSummary held_out;
    ErrorSummary suspect;
    ErrorSummary steps; ///< the part of held_out predicted from published steps
    std::size_t without_law = 0;
};

/// Tables in the order of the rows, each followed by its methods if it has several.
[[nodiscard]] std::vector<RateGroup> summarize_rates(std::span<PredictedRate const> rates);

/// How often the fastest method of a cell (same device, operation, buckets, rule, types, size and
/// distribution in a table) is predicted correctly.
struct FastestMethod {
    std::string source;
    std::string table;
    std::size_t cells = 0;       ///< with at least two methods
    std::size_t within_5 = 0;    ///< prediction at most 5 % slower than the fastest
    std::size_t clear = 0;       ///< cells where the fastest leads by more than 10 %
    std::size_t clear_named = 0; ///< of these, predicted correctly
};

/// For multisplits and searches without suspect rows; tables without such cells are omitted.
[[nodiscard]] std::vector<FastestMethod> fastest_methods(std::span<PredictedRate const> rates);

} // namespace keyswap::simulator
