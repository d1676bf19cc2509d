#include "tools/build/build_info.hpp"
#include "tools/commands/command.hpp"

#include <iostream>
#include <memory>

namespace keyswap::tools {

namespace {

struct VersionOptions {};

Expected<ExitCode> print_version(VersionOptions const&) {
    std::cout << build_description() << '\n';
    return ExitCode::fine;
}

} // namespace

void add_version_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand("version", "Print version, commit and compiler");
    run_when_chosen(command, chosen, std::make_shared<VersionOptions>(), print_version);
}

} // namespace keyswap::tools
