#pragma once

/// \file Syntax of distributions in all commands: "zipf", "zipf=0.75", or "zipf" with --parameter.

#include "model/distributions/distribution.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <string_view>

namespace keyswap::tools {

/// Parses, without validating name and parameter, "zipf" or "zipf=0.75"; also accepts "zipf:0.75".
/// \param option name of the option, for errors
/// \return an error if no number follows '=' or ':'
[[nodiscard]] Expected<model::NamedDistribution> parse_distribution(std::string_view text,
                                                                    std::string_view option);

/// Combines --distribution and --parameter; an error if both give the parameter.
[[nodiscard]] Expected<model::NamedDistribution>
parse_distribution_and(std::string_view text, std::optional<double> parameter);

} // namespace keyswap::tools
