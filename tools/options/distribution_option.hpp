#pragma once

/// \file Syntax of distributions in all commands: "zipf", "zipf=0.75", or "zipf" with --parameter.

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// A parsed distribution; neither name nor parameter is validated.
struct NamedDistribution {
    std::string name;
    std::optional<double> parameter; ///< nullopt if not given

    friend bool operator==(NamedDistribution const&, NamedDistribution const&) = default;
};

/// Parses "zipf" or "zipf=0.75"; also accepts "zipf:0.75".
/// \param option name of the option, for errors
/// \return an error if no number follows '=' or ':'
[[nodiscard]] Expected<NamedDistribution> parse_distribution(std::string_view text,
                                                             std::string_view option);

/// Combines --distribution and --parameter; an error if both give the parameter.
[[nodiscard]] Expected<NamedDistribution> parse_distribution_and(std::string_view text,
                                                                 std::optional<double> parameter);

} // namespace keyswap::tools
