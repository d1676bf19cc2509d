#pragma once

#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// The command line that was parsed, as one that a shell understands again: what repeats a run.
/// \param command a subcommand of the program; its options are repeated in the order of the help
[[nodiscard]] std::string repeat_command(CLI::App const& command);

/// A word as a POSIX shell takes it: quoted where it has to be.
[[nodiscard]] std::string shell_word(std::string const& word);

} // namespace keyswap::tools
