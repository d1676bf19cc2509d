#include "tools/options/exclude_options.hpp"

#include <CLI/CLI.hpp>

namespace keyswap::tools {

void exclude_all_but(CLI::App& command, CLI::Option& asked, std::set<std::string> const& allowed) {
    for (CLI::Option* const option :
         command.get_options([](CLI::Option const* one) { return one->nonpositional(); })) {
        if (option != &asked && !allowed.contains(option->get_name())) {
            asked.excludes(option);
        }
    }
}

} // namespace keyswap::tools
