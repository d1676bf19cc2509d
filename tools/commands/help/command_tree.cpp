#include "tools/commands/help/command_tree.hpp"

#include "tools/options/known_values.hpp"
#include "tools/options/limit_options.hpp"
#include "traces/errors/joined_text.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace keyswap::tools {

namespace {

/// Values "{32,64}" within a type name, as CLI11 describes a membership check.
std::vector<std::string> listed_values(std::string const& type) {
    std::vector<std::string> values;
    std::size_t const begin = type.find(":{");
    std::size_t const end = type.find('}', begin);
    if (begin == std::string::npos || end == std::string::npos) {
        return values;
    }
    std::istringstream list(type.substr(begin + 2, end - begin - 2));
    for (std::string value; std::getline(list >> std::ws, value, ',');) {
        values.push_back(value);
    }
    return values;
}

/// Removes the brackets that CLI11 puts around defaults of multi-value options: "[a,b]".
std::string without_brackets(std::string const& text) {
    return text.starts_with('[') && text.ends_with(']') ? text.substr(1, text.size() - 2) : text;
}

void set_values(CLI::Option const& option, OptionInfo& words) {
    words.values = listed_values(option.get_type_name());
    words.takes_file = words.values.empty();
    bool const takes_text = option.get_type_name().starts_with("TEXT");
    for (std::string const& name : words.names) {
        KnownValues known = takes_text ? known_values(name) : KnownValues{};
        if (words.values.empty() && !known.values.empty()) {
            words.values = std::move(known.values);
            words.takes_file = known.or_file;
        }
    }
}

OptionInfo option_words(CLI::Option const& option) {
    OptionInfo words;
    for (std::string const& name : option.get_lnames()) {
        words.names.push_back("--" + name);
    }
    for (std::string const& name : option.get_snames()) {
        words.names.push_back("-" + name);
    }
    if (words.names.empty()) {
        words.argument = option.get_name(true);
    }
    if (option.get_items_expected_max() > 0) {
        std::string const type = option.get_type_name();
        words.value = type.empty() ? "VALUE" : type.substr(0, type.find(':'));
        set_values(option, words);
        words.default_value = without_brackets(option.get_default_str());
    }
    if (option.get_positional()) {
        words.positional = option.get_name(true);
    }
    words.several = option.get_items_expected_max() > 1;
    words.is_limit = option.get_group() == limits_group;
    words.description = option.get_description();
    words.required = option.get_required();
    return words;
}

CommandInfo words_below(CLI::App const& app, std::vector<std::string> path) {
    CommandInfo words;
    path.push_back(app.get_name());
    for (CLI::Option const* option : app.get_options()) {
        if (!option->get_group().empty()) { // CLI11 hides options without a group
            words.options.push_back(option_words(*option));
        }
    }
    for (CLI::App const* command : app.get_subcommands([](CLI::App const* candidate) {
             return !candidate->get_group().empty() && !candidate->get_name().empty();
         })) {
        words.commands.push_back(words_below(*command, path));
    }
    words.path = std::move(path);
    words.description = app.get_description();
    words.footer = app.get_footer();
    return words;
}

} // namespace

std::string CommandInfo::full_name() const {
    return path_text(path);
}

std::string path_text(std::vector<std::string> const& path) {
    return joined_text(path, " ");
}

CommandInfo command_words(CLI::App const& app) {
    auto above = command_path(app);
    above.pop_back();
    return words_below(app, std::move(above));
}

std::vector<std::string> command_path(CLI::App const& command) {
    std::vector<std::string> path;
    for (CLI::App const* app = &command; app != nullptr; app = app->get_parent()) {
        path.insert(path.begin(), app->get_name());
    }
    return path;
}

std::vector<CommandInfo const*> all_commands(CommandInfo const& command) {
    std::vector<CommandInfo const*> all{&command};
    for (CommandInfo const& below : command.commands) {
        auto const more = all_commands(below);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

} // namespace keyswap::tools
