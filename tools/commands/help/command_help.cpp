#include "tools/commands/command.hpp"
#include "tools/commands/help/help_text.hpp"
#include "tools/text/text_width.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace keyswap::tools {

namespace {

Expected<ExitCode> print_help(CLI::App const& program, std::vector<std::string> const& path) {
    CLI::App const* command = &program;
    for (std::string const& name : path) {
        KnownNames known;
        CLI::App const* found = nullptr;
        for (CLI::App const* const below : command->get_subcommands({})) {
            known.add(below->get_name());
            found = below->get_name() == name ? below : found;
        }
        if (found == nullptr) {
            std::string const above = path_text(command_path(*command));
            bool const has_commands = !command->get_subcommands({}).empty();
            return input_error("'" + name + "'",
                               "is not a command of '" + above + "'",
                               has_commands ? known.remedy(name) : "see '" + above + " --help'");
        }
        command = found;
    }
    // CLI::App::help() of the program would print the help of the chosen subcommand, `help`.
    std::cout << help_text(command_words(*command), terminal_columns(STDOUT_FILENO));
    return ExitCode::fine;
}

} // namespace

void add_help_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand("help", "Print the help of the program or a command");
    auto const path = std::make_shared<std::vector<std::string>>();
    command.add_option("command", *path, "A command, as topology show");
    run_when_chosen(
        command, chosen, path, [&app](auto const& given) { return print_help(app, given); });
}

} // namespace keyswap::tools
