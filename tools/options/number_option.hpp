#pragma once

#include "tools/text/number_text.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::tools {

/// Adds an option that sets `count`, which has no default in the help.
template <class Count>
CLI::Option* add_option_of_count(CLI::App& command,
                                 std::string const& name,
                                 Count& count,
                                 std::string const& description) {
    auto const parse = [&count, name](std::string const& text) {
        auto const parsed = parse_count(text, name);
        if (!parsed) {
            throw CLI::ValidationError(parsed.error().message());
        }
        count = *parsed;
    };
    return command.add_option_function<std::string>(name, parse, description)->type_name("COUNT");
}

/// Adds an option that takes a count as parse_count reads it (2e9, 2G, 2_000_000_000) and shows the
/// default that `count` holds in the help.
/// \param count set while the arguments are parsed; outlives `command`'s parsing
/// \throws CLI::ValidationError while parsing, in the words of parse_count
inline CLI::Option* add_count_option(CLI::App& command,
                                     std::string const& name,
                                     std::uint64_t& count,
                                     std::string const& description) {
    return add_option_of_count(command, name, count, description)
        ->default_str(std::to_string(count));
}

/// The same for a count that need not be given.
inline CLI::Option* add_count_option(CLI::App& command,
                                     std::string const& name,
                                     std::optional<std::uint64_t>& count,
                                     std::string const& description) {
    return add_option_of_count(command, name, count, description);
}

} // namespace keyswap::tools
