#pragma once

#include "tools/commands/help/command_tree.hpp"

#include <cstddef>
#include <string>

namespace keyswap::tools {

/// What `--help` prints: usage, commands, options, remarks, and limits last.
/// \param columns of the terminal
[[nodiscard]] std::string help_text(CommandWords const& command, std::size_t columns);

} // namespace keyswap::tools
