#pragma once

/// \file Output of --json: an object with the command, the program's version, the configuration and
/// the result.

#include "tools/text/json.hpp"

#include <iosfwd>
#include <string_view>

namespace keyswap::tools {

/// The common fields {"command", "version", "config"}; callers add the result.
/// \param command as on the command line: "topology show"
/// \param config resolved options
[[nodiscard]] Json json_result(std::string_view command, Json config);

/// Prints indented JSON; replaces invalid UTF-8. If the thread has a CapturedOutput, stores the
/// document there instead.
void print_json(Json const& json, std::ostream& out);

} // namespace keyswap::tools
