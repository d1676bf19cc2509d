#include "tools/options/exclude_options.hpp"

#include "traces/errors/try.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

namespace keyswap::tools {

namespace {

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream words{std::string(text)};
    return {std::istream_iterator<std::string>(words), {}};
}

} // namespace

void exclude_all_but(CLI::App& command, CLI::Option& asked, std::string_view allowed) {
    std::vector<std::string> const kept = words_of(allowed);
    for (CLI::Option* const option : command.get_options({})) {
        if (option != &asked && std::ranges::count(kept, option->get_name()) == 0) {
            asked.excludes(option);
        }
    }
}

std::optional<std::string> first_given_but(CLI::App const& command, std::string_view allowed) {
    std::vector<std::string> const kept = words_of(allowed);
    for (CLI::Option const* const option : command.get_options({})) {
        std::string const value = option->get_default_str();
        bool const is_default = !value.empty() && option->results() == std::vector{value};
        if (option->count() > 0 && !is_default &&
            std::ranges::count(kept, option->get_name()) == 0) {
            return option->get_name();
        }
    }
    return std::nullopt;
}

std::optional<std::string> first_given(CLI::App const& command, std::string_view options) {
    for (std::string& word : words_of(options)) {
        std::size_t const equals = std::min(word.find('='), word.size());
        CLI::Option const& option = *command.get_option(word.substr(0, equals));
        bool const has_value = equals < word.size();
        std::string const value = has_value ? word.substr(equals + 1) : option.get_default_str();
        bool const is_value = !value.empty() && option.results() == std::vector{value};
        if (option.count() > 0 && is_value == has_value) {
            std::ranges::replace(word, '=', ' ');
            return word;
        }
    }
    return std::nullopt;
}

Expected<void> refuse_given(CLI::App const& command,
                            std::string_view options,
                            std::string const& problem,
                            std::string const& remedy) {
    for (std::string const& word : words_of(options)) {
        if (command.count(word) > 0) {
            return input_error(word, problem, remedy);
        }
    }
    return {};
}

} // namespace keyswap::tools
