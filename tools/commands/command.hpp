#pragma once

/// \file What a command of `keyswap` is. A command has a file,
/// commands/<folder>/command_<name>.cpp, that defines
///
///     void add_<name>_command(CLI::App& app, ChosenCommand& chosen);
///
/// (a dash in the command's name becomes an underscore), and is listed in tools/CMakeLists.txt,
/// from which the build generates the calls of these functions. The function adds a subcommand with
/// its options and registers the action with run_when_chosen:
///
///     struct CheckOptions { std::string input; };
///     Expected<ExitCode> check(CheckOptions const& options);
///
///     void add_check_command(CLI::App& app, ChosenCommand& chosen) {
///         CLI::App& command = *app.add_subcommand("check", "Say whether a file is sorted");
///         auto const options = std::make_shared<CheckOptions>();
///         command.add_option("--input", options->input, "The keys before the sort")->required();
///         run_when_chosen(command, chosen, options, check);
///     }
///
/// No action runs before the whole command line has been parsed. Help, completions and the man page
/// are generated from the CLI::App tree, so an option's description is written once.
///
/// Compiling a file that includes CLI11 takes 9 s longer (g++ 12, a core of an EPYC 7003), so other
/// headers only declare CLI::App.

#include "tools/build/exit_code.hpp"
#include "traces/errors/input_error.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace keyswap::tools {

/// Action of the chosen command. The program prints a returned InputError in one line and exits
/// with ExitCode::could_not_run; exceptions are handled in the same way.
struct ChosenCommand {
    std::function<Expected<ExitCode>()> run;
};

/// Sets `run(*options)` as the action of `command`.
/// \param options filled in by CLI11 while parsing; shared, since it outlives the calling function
template <class Options, class Run>
void run_when_chosen(CLI::App& command,
                     ChosenCommand& chosen,
                     std::shared_ptr<Options> options,
                     Run run) {
    command.callback([&chosen, options = std::move(options), run = std::move(run)] {
        chosen.run = [options, run]() -> Expected<ExitCode> { return run(*options); };
    });
}

/// Adds every command of tools/CMakeLists.txt; the build generates its body.
void add_commands(CLI::App& app, ChosenCommand& chosen);

} // namespace keyswap::tools
