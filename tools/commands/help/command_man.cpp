#include "tools/build/build_info.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/help/man_page.hpp"
#include "traces/errors/known_names.hpp"

#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace keyswap::tools {

namespace {

Expected<ExitCode> print_man_page(CLI::App const& app, std::optional<std::string> const& name) {
    CommandInfo const program = command_words(app);
    PageEdition const edition{build_version(), build_release_date()};
    if (!name) {
        std::cout << program_page(program, edition, examples());
        return ExitCode::fine;
    }
    KnownNames known;
    for (CommandInfo const& command : program.commands) {
        if (command.name() == *name) {
            std::cout << command_page(program, command, edition, examples());
            return ExitCode::fine;
        }
        known.add(command.name());
    }
    return known.not_known("command", *name);
}

} // namespace

void add_man_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand("man", "Print a manual page in troff's format");
    auto const name = std::make_shared<std::optional<std::string>>();
    command.add_option("command", *name, "Command (default: the program itself)");
    run_when_chosen(
        command, chosen, name, [&app](auto const& given) { return print_man_page(app, given); });
}

} // namespace keyswap::tools
