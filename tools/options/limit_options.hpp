#pragma once

/// \file Options for the resource limits of input files.

namespace CLI {
class App;
} // namespace CLI

namespace keyswap::tools {

/// Help group of these options.
inline constexpr char const* limits_group = "Limits of files";

/// Adds an option for each limit in traces/errors/input_limits.hpp to the program itself, hence for
/// all commands.
void add_limit_options(CLI::App& app);

/// Adds the option that verifies traces without regenerating their keys.
/// \param records_only set by parsing; must outlive `command`
void add_records_only_option(CLI::App& command, bool& records_only);

} // namespace keyswap::tools
