#pragma once

#include "tools/commands/help/command_tree.hpp"
#include "traces/errors/input_error.hpp"

#include <string>
#include <string_view>

namespace keyswap::tools {

enum class Shell { bash, zsh, fish };

/// \param text "bash", "zsh" or "fish"
[[nodiscard]] Expected<Shell> parse_shell(std::string_view text);

/// Script that completes commands, options, and values or file names of options. For bash it is
/// sourced; for zsh it is autoloaded as _keyswap; fish reads it as keyswap.fish.
[[nodiscard]] std::string completion_script(CommandInfo const& program, Shell shell);

} // namespace keyswap::tools
