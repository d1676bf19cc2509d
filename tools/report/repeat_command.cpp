#include "tools/report/repeat_command.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

namespace keyswap::tools {

std::string shell_word(std::string const& word) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,=+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
        return word;
    }
    std::string quoted = "'";
    for (char const letter : word) {
        quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return quoted + "'";
}

std::string repeat_command(CLI::App const& command) {
    std::string text = "keyswap " + command.get_name();
    std::string arguments;
    auto options = command.get_options();
    if (command.get_parent() != nullptr) { // global options, such as limits on file contents
        auto const shared = command.get_parent()->get_options();
        options.insert(options.end(), shared.begin(), shared.end());
    }
    for (CLI::Option const* option : options) {
        if (option->count() == 0) {
            continue;
        }
        if (option->get_lnames().empty()) {
            for (std::string const& value : option->results()) {
                arguments += ' ' + shell_word(value);
            }
            continue;
        }
        std::string const name = " --" + option->get_lnames().front();
        if (option->get_items_expected_max() == 0) {
            text += name;
            continue;
        }
        for (std::string const& value : option->results()) {
            text += name + ' ' + shell_word(value);
        }
    }
    return text + arguments;
}

} // namespace keyswap::tools
