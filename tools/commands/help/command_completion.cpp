#include "tools/commands/command.hpp"
#include "tools/commands/help/completion.hpp"
#include "traces/errors/try.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace keyswap::tools {

namespace {

Expected<ExitCode> print_completion(CLI::App const& program, std::string const& name) {
    KEYSWAP_TRY(auto const shell, parse_shell(name));
    std::cout << completion_script(command_words(program), shell);
    return ExitCode::fine;
}

} // namespace

void add_completion_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("completion", "Print a script that completes commands in a shell");
    auto const shell = std::make_shared<std::string>();
    command.add_option("shell", *shell, "bash, zsh or fish")->required();
    run_when_chosen(
        command, chosen, shell, [&app](auto const& given) { return print_completion(app, given); });
}

} // namespace keyswap::tools
