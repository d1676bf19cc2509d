#pragma once

#include "tools/text/number_text.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::tools {

/// Adds a count option whose help shows no default.
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

/// Adds an option for a count in the syntax of parse_count() (2e9, 2G, 2_000_000_000); the help
/// shows the initial value of `count` as the default.
/// \param count set by parsing; must outlive `command`
/// \throws CLI::ValidationError while parsing, with the message of parse_count()
inline CLI::Option* add_count_option(CLI::App& command,
                                     std::string const& name,
                                     std::uint64_t& count,
                                     std::string const& description) {
    return add_option_of_count(command, name, count, description)
        ->default_str(std::to_string(count));
}

/// Like the above for an optional count.
inline CLI::Option* add_count_option(CLI::App& command,
                                     std::string const& name,
                                     std::optional<std::uint64_t>& count,
                                     std::string const& description) {
    return add_option_of_count(command, name, count, description);
}

} // namespace keyswap::tools
