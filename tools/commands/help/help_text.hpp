#pragma once

#include "tools/commands/help/command_tree.hpp"

#include <cstddef>
#include <string>

namespace keyswap::tools {

/// Output of `--help`: usage, commands, options, remarks, then limits.
/// \param columns width of the terminal
[[nodiscard]] std::string help_text(CommandInfo const& command, std::size_t columns);

} // namespace keyswap::tools
