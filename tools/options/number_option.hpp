#pragma once

#include "tools/number_text.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace keyswap::tools {

/// Adds an option that takes a count as parse_count reads it (2e9, 2G, 2_000_000_000) and shows the
/// default that `count` holds in the help.
/// \param count set while the arguments are parsed; outlives `command`'s parsing
/// \throws CLI::ValidationError while parsing, in the words of parse_count
inline CLI::Option* add_count_option(CLI::App& command,
                                     std::string const& name,
                                     std::uint64_t& count,
                                     std::string const& description) {
    auto const parse = [&count, name](std::string const& text) {
        auto const parsed = parse_count(text, name);
        if (!parsed) {
            throw CLI::ValidationError(parsed.error().message());
        }
        count = *parsed;
    };
    return command.add_option_function<std::string>(name, parse, description)
        ->type_name("COUNT")
        ->default_str(std::to_string(count));
}

} // namespace keyswap::tools
