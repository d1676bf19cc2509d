#pragma once

#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace keyswap::tools {

/// Parses JSON from an untrusted file. Copying and printing recurse per level, so unbounded nesting
/// would overflow the stack.
/// \param name subject of errors
/// \return an error if the text is not JSON or nests deeper than Limit::depth
[[nodiscard]] Expected<nlohmann::json> parse_bounded_json(std::string_view text,
                                                          std::string const& name);

} // namespace keyswap::tools
