#pragma once

#include "tools/commands/help/command_examples.hpp"
#include "tools/commands/help/command_tree.hpp"

#include <span>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Program version that a manual page describes.
struct PageEdition {
    std::string_view version; ///< "0.1.0"
    std::string_view date;    ///< "2026-11-21"
};

/// Manual page of the program, section 1, in man(7) macros: one line per command.
[[nodiscard]] std::string program_page(CommandInfo const& program,
                                       PageEdition const& edition,
                                       std::span<Example const> examples);

/// Manual page of a command, with its subcommands and the program's limits.
[[nodiscard]] std::string command_page(CommandInfo const& program,
                                       CommandInfo const& command,
                                       PageEdition const& edition,
                                       std::span<Example const> examples);

} // namespace keyswap::tools
