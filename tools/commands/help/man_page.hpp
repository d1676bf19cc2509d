#pragma once

#include "tools/commands/help/command_examples.hpp"
#include "tools/commands/help/command_tree.hpp"

#include <span>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Of which program a manual page is.
struct PageEdition {
    std::string_view version; ///< "0.1.0"
    std::string_view date;    ///< "2026-11-21"
};

/// The manual page of the program in the man(7) macros, section 1: its commands in a line each.
[[nodiscard]] std::string program_page(CommandWords const& program,
                                       PageEdition const& edition,
                                       std::span<Example const> examples);

/// The manual page of a command, with those below it and the program's limits.
[[nodiscard]] std::string command_page(CommandWords const& program,
                                       CommandWords const& command,
                                       PageEdition const& edition,
                                       std::span<Example const> examples);

} // namespace keyswap::tools
