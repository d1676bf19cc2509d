#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace keyswap::tools {

/// Adds --csv FILE, the one option for rows as CSV; "-" prints them. \param what they are
inline void
add_csv_option(CLI::App& command, std::optional<std::string>& path, std::string const& what) {
    command.add_option("--csv", path, what + "; - prints it");
}

} // namespace keyswap::tools
