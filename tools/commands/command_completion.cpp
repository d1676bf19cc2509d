#include "tools/commands/command.hpp"
#include "tools/commands/completion.hpp"
#include "traces/errors/try.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace keyswap::tools {

namespace {

struct CompletionOptions {
    CLI::App const* program; ///< outlives the run of the command
    std::string shell;
};

Expected<ExitCode> print_completion(CompletionOptions const& options) {
    KEYSWAP_TRY(auto const shell, parse_shell(options.shell));
    std::cout << completion_script(command_words(*options.program), shell);
    return ExitCode::fine;
}

} // namespace

void add_completion_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("completion", "Print a script that completes commands in a shell");
    auto const options = std::make_shared<CompletionOptions>(CompletionOptions{&app, {}});
    command.add_option("shell", options->shell, "bash, zsh or fish")->required();
    run_when_chosen(command, chosen, options, print_completion);
}

} // namespace keyswap::tools
