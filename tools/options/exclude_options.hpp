#pragma once

/// \file Mutually exclusive options. Lists of options are strings, "--keys --type".

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace keyswap::tools {

/// Makes an option exclude all other options and files of the command except the allowed ones.
void exclude_all_but(CLI::App& command, CLI::Option& asked, std::string_view allowed);

/// The first of these options with a value other than its default, as shown in errors; nullopt if
/// there is none. "--backend=cuda" matches only that value.
/// \pre the command line has been parsed
[[nodiscard]] std::optional<std::string> first_given(CLI::App const& command,
                                                     std::string_view options);

/// The first option other than the allowed ones with a value other than its default; nullopt if
/// there is none. So an option added later is refused until it is allowed.
/// \pre the command line has been parsed
[[nodiscard]] std::optional<std::string> first_given_but(CLI::App const& command,
                                                         std::string_view allowed);

/// Returns an error about the first of these options that was given, even with its default value,
/// because it has no effect here. \pre the command line has been parsed
[[nodiscard]] Expected<void> refuse_given(CLI::App const& command,
                                          std::string_view options,
                                          std::string const& problem,
                                          std::string const& remedy);

} // namespace keyswap::tools
