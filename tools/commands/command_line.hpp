#pragma once

/// \file The whole program.

#include "tools/build/exit_code.hpp"
#include "tools/commands/command_tree.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Parses the arguments, runs the chosen command, prints what went wrong in one line to standard
/// error. Throws nothing.
/// \pre argc and argv are those of main
[[nodiscard]] ExitCode run(int argc, char const* const* argv) noexcept;

/// What is wrong with a command line as words; nothing is run. \param words without the program's
/// name
[[nodiscard]] std::optional<InputError> misunderstood(std::vector<std::string> words);

/// All commands and options.
[[nodiscard]] CommandWords program_words();

} // namespace keyswap::tools
