#pragma once

/// \file Options of what files may ask for.

namespace CLI {
class App;
} // namespace CLI

namespace keyswap::tools {

/// What the options of limits are grouped under.
inline constexpr char const* limits_group = "Limits of files";

/// Adds an option for each limit of traces/errors/input_limits.hpp to the program itself: all its
/// commands take them.
void add_limit_options(CLI::App& app);

/// Adds the option that verifies traces without their keys.
/// \param records_only set while the arguments are parsed; outlives `command`'s parsing
void add_records_only_option(CLI::App& command, bool& records_only);

} // namespace keyswap::tools
