#pragma once

/// \file Constants of profiles in TOML:
/// `name = { value = "3.9 ps/key", origin = "measured: ..." }`.

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

/// A constant with the name used in files, `keyswap calibrate` and error messages.
struct ProfileConstant {
    std::string name;                              ///< "key32.histogram"
    std::string unit;                              ///< "ps/key"
    double* value;                                 ///< in the caller's profile
    std::optional<double> standard = std::nullopt; ///< default for older files; nullopt: required
};

/// Reads every listed constant from its table and stores its origin under its name.
/// \return an error naming the constant that is missing, has the wrong unit, is negative or has no
/// origin
[[nodiscard]] Expected<void> read_constants(toml::table const& table,
                                            std::span<ProfileConstant const> constants,
                                            std::map<std::string, std::string>& origins,
                                            std::string_view file);

/// A table per first part of the names. \pre constants of a table are consecutive
[[nodiscard]] std::string write_constants(std::span<ProfileConstant const> constants,
                                          std::map<std::string, std::string> const& origins);

} // namespace keyswap::simulator
