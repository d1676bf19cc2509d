#pragma once

/// \file What --json prints: one object that names the command, the program's version and the
/// configuration, and then holds the result.

#include "tools/text/json.hpp"

#include <iosfwd>
#include <string_view>

namespace keyswap::tools {

/// {"command", "version", "config"}, to which the result is added.
/// \param command as on the command line: "topology show"
/// \param config what the options say, with what was filled in
[[nodiscard]] Json json_result(std::string_view command, Json config);

/// Prints it, indented; bytes that are no UTF-8 are replaced. Hands it to the thread's
/// CapturedOutput instead, if there is one.
void print_json(Json const& json, std::ostream& out);

} // namespace keyswap::tools
