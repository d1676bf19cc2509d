#pragma once

#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace keyswap::tools {

/// Values of a file's JSON within each other. What copies or prints a value calls itself once a
/// level, so that a file of brackets would end the program.
inline constexpr int json_depth_max = 64;

/// Parses JSON of a file that is not trusted.
/// \param name what errors are about
/// \return an error where the text is no JSON, or nests deeper than json_depth_max
[[nodiscard]] Expected<nlohmann::json> parse_bounded_json(std::string_view text,
                                                          std::string const& name);

} // namespace keyswap::tools
