#pragma once

/// \file Constants of profiles in TOML: `name = { value = "3.9 ps/key", origin = "measured: ..."
/// }`.

#include "traces/errors/input_error.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace toml {
inline namespace v3 {
class table;
}
} // namespace toml

namespace keyswap::simulator {

/// A constant as the file, `keyswap calibrate` and error messages know it.
struct ProfileConstant {
    std::string name;                              ///< "key32.histogram"
    std::string unit;                              ///< "ps/key"
    double* value;                                 ///< in the profile that was asked
    std::optional<double> standard = std::nullopt; ///< assumed where a file is older than this one
};

/// Reads every constant of the list from its table, and notes its origin by its name.
/// \return an error naming the constant that is missing, has another unit, is negative or has no
///         origin
[[nodiscard]] Expected<void> read_constants(toml::table const& table,
                                            std::span<ProfileConstant const> constants,
                                            std::map<std::string, std::string>& origins,
                                            std::string_view file);

/// A table for each first part of a name. \pre constants of one table stand together
[[nodiscard]] std::string write_constants(std::span<ProfileConstant const> constants,
                                          std::map<std::string, std::string> const& origins);

/// TOML's basic string.
[[nodiscard]] std::string toml_quoted(std::string_view text);

} // namespace keyswap::simulator
