#pragma once

/// \file Entry point of the program.

#include "tools/build/exit_code.hpp"
#include "tools/commands/help/command_tree.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Parses the arguments and runs the chosen command; prints an error in one line to standard error.
/// Throws nothing.
/// \pre argc and argv are main's parameters
[[nodiscard]] ExitCode run(int argc, char const* const* argv) noexcept;

/// Result of a command that another program calls within its own process.
struct CommandResult {
    ExitCode code = ExitCode::fine;
    Json document;       ///< output of --json
    std::string remarks; ///< output on standard error
};

/// Runs a command without printing. \throws exceptions that run() reports as errors; Interrupted
/// \param words arguments without the program's name; include --json
/// \pre no other command runs in this process, and the command does not read standard input
[[nodiscard]] Expected<CommandResult> call_command(std::vector<std::string> words);

/// User-readable form of the exception being handled. \throws it again if it is unexpected
[[nodiscard]] InputError error_of_current_exception();

/// Parses a command line without running it; nullopt if it is valid.
/// \param words arguments without the program's name
[[nodiscard]] std::optional<InputError> find_parse_error(std::vector<std::string> words);

/// Descriptions of all commands and options.
[[nodiscard]] CommandInfo program_words();

} // namespace keyswap::tools
