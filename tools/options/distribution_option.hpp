#pragma once

/// \file How every command names a distribution: "zipf", "zipf=0.75", or "zipf" with --parameter.

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// A distribution as it was named; what it is is not checked.
struct NamedDistribution {
    std::string name;
    std::optional<double> parameter; ///< nullopt if the text has none

    friend bool operator==(NamedDistribution const&, NamedDistribution const&) = default;
};

/// "zipf" or "zipf=0.75"; "zipf:0.75" is taken as well.
/// \param option whose value it is, for the error
/// \return an error if no number follows the sign
[[nodiscard]] Expected<NamedDistribution> parse_distribution(std::string_view text,
                                                             std::string_view option);

/// The value of --distribution with that of --parameter, where only one may have the number.
[[nodiscard]] Expected<NamedDistribution> parse_distribution_and(std::string_view text,
                                                                 std::optional<double> parameter);

} // namespace keyswap::tools
