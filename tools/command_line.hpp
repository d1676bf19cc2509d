#pragma once

#include "tools/command.hpp"

namespace keyswap::tools {

/// Gives `app` the program's name, version, footer and all commands.
void describe_program(CLI::App& app, ChosenCommand& chosen);

/// The whole program: parses the arguments, runs the chosen command, prints what went wrong in one
/// line to standard error. Throws nothing.
/// \pre argc and argv are those of main
[[nodiscard]] ExitCode run(int argc, char const* const* argv) noexcept;

} // namespace keyswap::tools
