#pragma once

/// \file Options that have no meaning together. Lists of them are texts, "--keys --type".

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace keyswap::tools {

/// Refuses an option together with all of the command's but the allowed ones.
void exclude_all_but(CLI::App& command, CLI::Option& asked, std::string_view allowed);

/// The first of these options that was given another value than its default, as errors show it;
/// nullopt if none was. "--backend=cuda" is the option with that value alone.
/// \pre the command line was parsed
[[nodiscard]] std::optional<std::string> first_given(CLI::App const& command,
                                                     std::string_view options);

/// An error about the first of these options that was given, be it with its default, since it has
/// no meaning for what was asked. \pre the command line was parsed
[[nodiscard]] Expected<void> refuse_given(CLI::App const& command,
                                          std::string_view options,
                                          std::string const& problem,
                                          std::string const& remedy);

} // namespace keyswap::tools
