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

std::optional<InputError> refuse_given(CLI::App const& command,
                                       std::set<std::string> const& names,
                                       std::string const& problem,
                                       std::string const& remedy) {
    for (std::string const& name : names) {
        if (command.count(name) > 0) {
            return InputError{name, problem, remedy};
        }
    }
    return std::nullopt;
}

} // namespace keyswap::tools
