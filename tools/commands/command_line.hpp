#pragma once

/// \file The whole program.

#include "tools/build/exit_code.hpp"
#include "tools/commands/help/command_tree.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Parses the arguments, runs the chosen command, prints what went wrong in one line to standard
/// error. Throws nothing.
/// \pre argc and argv are those of main
[[nodiscard]] ExitCode run(int argc, char const* const* argv) noexcept;

/// What a command gives to a program that calls it in its own process.
struct CommandResult {
    ExitCode code = ExitCode::fine;
    Json document;       ///< what --json prints
    std::string remarks; ///< what is printed to standard error
};

/// Runs a command and prints nothing. \throws what run() turns into errors, and Interrupted
/// \param words without the program's name, --json among them
/// \pre no other command runs in this process, and none reads standard input
[[nodiscard]] Expected<CommandResult> call_command(std::vector<std::string> words);

/// The exception that is being handled, as users read it. \throws one that nobody expects
[[nodiscard]] InputError error_of_current_exception();

/// What is wrong with a command line as words; nothing is run. \param words without the program's
/// name
[[nodiscard]] std::optional<InputError> misunderstood(std::vector<std::string> words);

/// All commands and options.
[[nodiscard]] CommandWords program_words();

} // namespace keyswap::tools
