#pragma once

/// \file Rates of sorts, multisplits and histograms on one device, as papers print them in tables:
/// one row a cell. README.md of this folder describes the columns.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// What a cell may be used for.
enum class RateUse {
    fitted,   ///< constants of device profiles were fitted to it
    held_out, ///< only compared with
    suspect   ///< contradicts its neighbours or itself: never fitted, shown apart
};

/// A cell of a table. Texts that a column leaves empty are empty, numbers 0.
struct PublishedRate {
    std::string source;    ///< "gpu-multisplit"
    std::string table;     ///< "5", or a section or a figure
    std::string device;    ///< name of a rate profile: "k40c-ecc"
    std::string operation; ///< sort, multisplit, histogram or sssp
    std::string method;    ///< as `keyswap algorithms` names it, or the name of a peer
    std::string stage = "all";
    std::string rule; ///< of the buckets: digit, delta, even, splitters
    std::uint32_t buckets = 0;
    int digit_bits = 0; ///< of a sort: bits sorted by (cub-radix), or of one step
    std::string distribution = "uniform";
    double parameter = 0.0; ///< of the distribution
    std::string key_type = "u32";
    int value_bits = 0;
    std::uint64_t key_count = 0;
    std::optional<double> time_ms;
    std::optional<double> rate_Gps; ///< 1e9 keys or pairs a second; counts where a time stands too
    std::optional<double> time_ratio; ///< to the time on the device or of the key type `ratio_to`
    std::string ratio_to;
    RateUse use = RateUse::held_out;
    std::string note;
    std::uint64_t line = 0; ///< of the file

    friend bool operator==(PublishedRate const&, PublishedRate const&) = default;

    /// Milliseconds by the rate, else by the time. \pre !time_ratio
    [[nodiscard]] double milliseconds() const;
};

[[nodiscard]] std::string_view to_string(RateUse use);

/// Columns are found by their names, in any order; all have to be there.
/// \param name of the file, for messages
/// \return an error that names file, line and column, what is wrong with it and what to do
[[nodiscard]] Expected<std::vector<PublishedRate>> parse_rates(std::string_view text,
                                                               std::string const& name);

[[nodiscard]] Expected<std::vector<PublishedRate>> read_rates(std::filesystem::path const& path);

/// Whether the heading is one of rates.
[[nodiscard]] bool looks_like_rates(std::string_view text);

/// Text that parse_rates() reads back equal, lines apart.
/// \pre no text has a comma, a quotation mark or a line end
[[nodiscard]] std::string rates_text(std::span<PublishedRate const> rates);

} // namespace keyswap
