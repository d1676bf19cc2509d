#pragma once

#include "tools/commands/help/command_tree.hpp"
#include "traces/errors/input_error.hpp"

#include <string>
#include <string_view>

namespace keyswap::tools {

enum class Shell { bash, zsh, fish };

/// \param text "bash", "zsh" or "fish"
[[nodiscard]] Expected<Shell> parse_shell(std::string_view text);

/// A script that completes commands and options; after an option its values, or file names. It is
/// sourced by bash, autoloaded by zsh as _keyswap, and read by fish as keyswap.fish.
[[nodiscard]] std::string completion_script(CommandWords const& program, Shell shell);

} // namespace keyswap::tools
