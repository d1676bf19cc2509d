#pragma once

/// \file The whole program.

#include "tools/command_tree.hpp"
#include "tools/exit_code.hpp"

namespace keyswap::tools {

/// Parses the arguments, runs the chosen command, prints what went wrong in one line to standard
/// error. Throws nothing.
/// \pre argc and argv are those of main
[[nodiscard]] ExitCode run(int argc, char const* const* argv) noexcept;

/// All commands and options.
[[nodiscard]] CommandWords program_words();

} // namespace keyswap::tools
