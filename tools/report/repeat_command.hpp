#pragma once

#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Command line that repeats a parsed one, quoted for a POSIX shell.
/// \param command a subcommand of the program; options follow the order of its help
[[nodiscard]] std::string repeat_command(CLI::App const& command);

/// Quotes a word for a POSIX shell, if necessary.
[[nodiscard]] std::string shell_word(std::string const& word);

} // namespace keyswap::tools
