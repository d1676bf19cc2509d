#pragma once

#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace keyswap::tools {

/// Parses JSON of a file that is not trusted. What copies or prints a value calls itself once a
/// level, so that a file of brackets would end the program.
/// \param name what errors are about
/// \return an error where the text is no JSON, or nests deeper than Limit::depth
[[nodiscard]] Expected<nlohmann::json> parse_bounded_json(std::string_view text,
                                                          std::string const& name);

} // namespace keyswap::tools
