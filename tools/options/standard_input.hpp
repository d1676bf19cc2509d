#pragma once

/// \file "-" where a file is read.

#include "traces/errors/input_error.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// "-", "/dev/stdin" and the other names of descriptor 0.
[[nodiscard]] bool is_standard_input(std::string const& path);

/// The path under which a file that the command line names can be opened, more than once: of "-" a
/// copy of what standard input brings, unless that is a file itself. Others are what they are.
[[nodiscard]] Expected<std::string> readable_path(std::string const& path);
[[nodiscard]] Expected<std::vector<std::string>>
readable_paths(std::vector<std::string> const& paths);

/// What people read of a file that the command line names: "standard input", or its printable name.
[[nodiscard]] std::string shown_name(std::string const& path);

/// The message with "standard input" in place of the path that readable_path() gave for it.
[[nodiscard]] std::string with_standard_input_named(std::string message);

/// Standard input is read anew, for programs that run more than one command.
void forget_standard_input();

} // namespace keyswap::tools
