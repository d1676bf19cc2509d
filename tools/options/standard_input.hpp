#pragma once

/// \file Support for "-" as an input file.

#include "traces/errors/input_error.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// True for "-", "/dev/stdin" and other names of descriptor 0.
[[nodiscard]] bool is_standard_input(std::string const& path);

/// A path that can be opened repeatedly for a file on the command line. Standard input is copied to
/// a temporary file, unless it is a regular file; other paths are returned unchanged.
[[nodiscard]] Expected<std::string> readable_path(std::string const& path);
[[nodiscard]] Expected<std::vector<std::string>>
readable_paths(std::vector<std::string> const& paths);

/// Display name of a file on the command line: "standard input", or its printable name.
[[nodiscard]] std::string display_name(std::string const& path);

/// Replaces the path that readable_path() returned for "-" by "standard input".
[[nodiscard]] std::string replace_standard_input_path(std::string message);

/// Discards the copy, so that a program can run several commands.
void forget_standard_input();

} // namespace keyswap::tools
