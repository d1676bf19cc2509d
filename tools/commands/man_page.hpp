#pragma once

#include "tools/commands/command_examples.hpp"
#include "tools/commands/command_tree.hpp"

#include <span>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// The manual page of the program in the man(7) macros, section 1.
/// \param date of the version
/// \param footer remarks on all commands, a sentence a line
/// \param examples shown at the end
[[nodiscard]] std::string man_page(CommandWords const& program,
                                   std::string_view version,
                                   std::string_view date,
                                   std::string_view footer,
                                   std::span<Example const> examples);

} // namespace keyswap::tools
