#pragma once

#include "traces/errors/input_error.hpp"

#include <optional>
#include <set>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace keyswap::tools {

/// Refuses an option together with those that have no meaning with it: all of the command's but the
/// allowed ones. \param allowed names as CLI11 has them, "--keys"
void exclude_all_but(CLI::App& command, CLI::Option& asked, std::set<std::string> const& allowed);

/// An error that names the first of these options that was given, since it has no meaning for what
/// was asked; nullopt if none was. \param names as CLI11 has them, "--keys"
/// \pre the command line was parsed
[[nodiscard]] std::optional<InputError> refuse_given(CLI::App const& command,
                                                     std::set<std::string> const& names,
                                                     std::string const& problem,
                                                     std::string const& remedy);

} // namespace keyswap::tools
