#pragma once

/// \file Published rates of sorts, multisplits and histograms on one device: each row is one cell
/// of a table in a paper. README.md of this folder describes the columns.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// Purpose of a cell in the calibration of device profiles.
enum class RateUse {
    fitted,   ///< calibrates constants of device profiles
    held_out, ///< only compared with predictions
    suspect   ///< inconsistent with its neighbours or itself: never fitted, listed separately
};

/// A cell of a published table. Empty columns give empty texts and zero numbers.
struct PublishedRate {
    std::string source;    ///< "gpu-multisplit"
    std::string table;     ///< number of the table, section or figure
    std::string device;    ///< name of a rate profile: "k40c-ecc"
    std::string operation; ///< sort, multisplit, histogram or sssp
    std::string method;    ///< name in `keyswap algorithms`, or of a competing method
    std::string stage = "all";
    std::string rule; ///< bucket rule: digit, delta, even or splitters
    std::uint32_t buckets = 0;
    int digit_bits = 0; ///< sorts: bits sorted by (cub-radix), or bits of one step
    std::string distribution = "uniform";
    double parameter = 0.0; ///< Zipf exponent or similar
    std::string key_type = "u32";
    int value_bits = 0;
    std::uint64_t key_count = 0;
    std::optional<double> time_ms;
    std::optional<double> rate_Gps; ///< 1e9 keys or pairs per second; takes precedence over time_ms
    std::optional<double> time_ratio; ///< relative to the time on device or key type `ratio_to`
    std::string ratio_to;
    RateUse use = RateUse::held_out;
    std::string note;
    std::uint64_t line = 0; ///< 1-based line in the file

    friend bool operator==(PublishedRate const&, PublishedRate const&) = default;

    /// From the rate if present, else from the time. \pre !time_ratio
    [[nodiscard]] double milliseconds() const;
};

[[nodiscard]] std::string_view to_string(RateUse use);

/// Columns are identified by name, in any order; all are required.
/// \param name file name, for errors
/// \return an error that names file, line and column
[[nodiscard]] Expected<std::vector<PublishedRate>> parse_rates(std::string_view text,
                                                               std::string const& name);

/// True if the first line is the header of a rate table.
[[nodiscard]] bool looks_like_rates(std::string_view text);

} // namespace keyswap
