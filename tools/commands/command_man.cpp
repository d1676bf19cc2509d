#include "tools/build/build_info.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/man_page.hpp"

#include <iostream>
#include <memory>

namespace keyswap::tools {

namespace {

struct ManOptions {
    CLI::App const* program; ///< outlives the run of the command
};

Expected<ExitCode> print_man_page(ManOptions const& options) {
    std::cout << man_page(command_words(*options.program),
                          build_version(),
                          build_release_date(),
                          options.program->get_footer(),
                          examples());
    return ExitCode::fine;
}

} // namespace

void add_man_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand("man", "Print the manual page in troff's format");
    run_when_chosen(
        command, chosen, std::make_shared<ManOptions>(ManOptions{&app}), print_man_page);
}

} // namespace keyswap::tools
