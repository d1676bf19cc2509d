#include "tools/build/build_info.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/man_page.hpp"
#include "traces/errors/known_names.hpp"

#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace keyswap::tools {

namespace {

struct ManOptions {
    CLI::App const* program; ///< outlives the run of the command
    std::optional<std::string> command;
};

Expected<ExitCode> print_man_page(ManOptions const& options) {
    CommandWords const program = command_words(*options.program);
    PageEdition const edition{build_version(), build_release_date()};
    if (!options.command) {
        std::cout << program_page(program, edition, examples());
        return ExitCode::fine;
    }
    KnownNames known;
    for (CommandWords const& command : program.commands) {
        if (command.name() == *options.command) {
            std::cout << command_page(program, command, edition, examples());
            return ExitCode::fine;
        }
        known.add(command.name());
    }
    return known.not_known("command", *options.command);
}

} // namespace

void add_man_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand("man", "Print a manual page in troff's format");
    auto const options = std::make_shared<ManOptions>(ManOptions{&app, std::nullopt});
    command.add_option("command", options->command, "Command (default: the program itself)");
    run_when_chosen(command, chosen, options, print_man_page);
}

} // namespace keyswap::tools
