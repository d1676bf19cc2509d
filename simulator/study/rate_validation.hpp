#pragma once

/// \file Tables of published rates beside predictions from the profiles of their devices.

#include "simulator/cost/rate_profile.hpp"
#include "traces/measurements/rate_table.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Profiles by the names that rows give their devices.
using RateProfiles = std::map<std::string, RateProfile, std::less<>>;

/// Shipped profiles of all devices of the rows. \param file for messages
/// \return an error that names file, line and device where there is none
[[nodiscard]] Expected<RateProfiles> profiles_of(std::span<PublishedRate const> rates,
                                                 std::string const& file);

/// From what a row is predicted.
enum class RateBasis {
    constants, ///< of the device's profile
    steps      ///< published rates of its steps, other rows of the same file
};

/// A row and its prediction.
struct PredictedRate {
    PublishedRate rate;
    double published = 0.0;          ///< ms, or the ratio where the row is one
    std::optional<double> predicted; ///< in the same unit
    RateBasis basis = RateBasis::constants;

    /// predicted / published - 1. \pre predicted
    [[nodiscard]] double error() const { return *predicted / published - 1.0; }
};

/// Milliseconds of a row by its device's constants alone; nothing where there is no law for it, as
/// for what SimulatedRates has.
/// \pre a row of a time or rate
[[nodiscard]] std::optional<double> rate_ms(RateProfile const& profile, PublishedRate const& rate);

/// Every row. Sorts and multisplits that are sums of published steps (multisplit-sort of the
/// digits' multisplits, reduced-bit of keys of a label and the library's sort on its bits) are
/// predicted from those, where the file has them all. \pre profiles of all devices
[[nodiscard]] std::vector<PredictedRate> predict_rates(std::span<PublishedRate const> rates,
                                                       RateProfiles const& profiles);

/// Absolute relative errors of some rows.
struct RateErrors {
    std::size_t count = 0;
    double median = 0.0;
    double p95 = 0.0;
    double worst = 0.0;
};

/// Of all rows that are predicted and not suspect.
[[nodiscard]] RateErrors errors_of_usable(std::span<PredictedRate const> rates);

/// A table, or the rows of one method in it (and of one stage, or all stages but the whole).
struct RateGroup {
    std::string source;
    std::string table;
    std::string method; ///< empty: all of the table
    RateErrors fitted;
    RateErrors held_out;
    RateErrors suspect;
    RateErrors steps; ///< of the held out, those predicted from published steps
    std::size_t without_law = 0;
};

/// Tables in the order of the rows, each followed by its methods where it has several.
[[nodiscard]] std::vector<RateGroup> summarize_rates(std::span<PredictedRate const> rates);

/// How often the fastest method of a cell (one device, operation, number of buckets, rule, types
/// and distribution of a table) is predicted right.
struct FastestMethod {
    std::string source;
    std::string table;
    std::size_t cells = 0;       ///< with two methods or more
    std::size_t within_5 = 0;    ///< the one named is at most 5 % slower than the fastest
    std::size_t clear = 0;       ///< cells in which the fastest leads by more than 10 %
    std::size_t clear_named = 0; ///< of those, it is the one named
};

/// Of multisplits and searches, suspect rows left out; tables without such cells are left out.
[[nodiscard]] std::vector<FastestMethod> fastest_methods(std::span<PredictedRate const> rates);

} // namespace keyswap::simulator
