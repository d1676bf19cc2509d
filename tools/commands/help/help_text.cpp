#include "tools/commands/help/help_text.hpp"

#include "tools/text/text_width.hpp"
#include "traces/errors/joined_text.hpp"

#include <algorithm>
#include <cctype>

namespace keyswap::tools {

namespace {

constexpr std::size_t names_indent = 2;
constexpr std::size_t names_columns_max = 26; ///< longer names get their own line
constexpr std::size_t names_gap = 2;
constexpr std::size_t values_max = 6; ///< more are listed by a command

/// Entry of a list: names and their description.
struct Entry {
    std::string names;
    std::string description;
};

std::string upper_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    return text;
}

/// "INPUT", "TRACE..."; in brackets if optional.
std::string argument_usage(OptionInfo const& option) {
    std::string const name = upper_case(option.positional) + (option.several ? "..." : "");
    return option.required ? name : "[" + name + "]";
}

Entry entry_of(OptionInfo const& option) {
    Entry entry;
    entry.names = joined_text(option.names, ", ");
    if (!option.argument.empty()) {
        entry.names = upper_case(option.argument);
    } else if (option.takes_value()) {
        entry.names += " " + option.value;
    }
    entry.description = option.description;
    bool const says_values = option.values.empty() || option.values.size() > values_max ||
                             option.description.find(option.values.back()) != std::string::npos;
    entry.description += says_values ? "" : ": " + joined_text(option.values, ", ");
    if (!option.default_value.empty()) {
        entry.description += " [" + option.default_value + "]";
    } else if (option.required) {
        entry.description += " (required)";
    }
    return entry;
}

std::string
list_text(std::string const& title, std::vector<Entry> const& entries, std::size_t columns) {
    std::size_t longest = 0;
    for (Entry const& entry : entries) {
        if (entry.names.size() <= names_columns_max) {
            longest = std::max(longest, entry.names.size());
        }
    }
    std::size_t const indent = names_indent + longest + names_gap;
    std::string text = "\n" + title + ":\n";
    for (Entry const& entry : entries) {
        std::string names = std::string(names_indent, ' ') + entry.names;
        if (entry.names.size() > longest) {
            text += names + '\n';
            names.clear();
        }
        names.resize(indent, ' ');
        text += wrapped_after(names, indent, entry.description, columns) + '\n';
    }
    return entries.empty() ? "" : text;
}

} // namespace

std::string help_text(CommandInfo const& command, std::size_t columns) {
    std::string usage = "Usage: " + command.full_name();
    std::vector<Entry> options;
    std::vector<Entry> limits;
    for (OptionInfo const& option : command.options) {
        (option.is_limit ? limits : options).push_back(entry_of(option));
        usage += option.positional.empty() ? "" : " " + argument_usage(option);
    }
    usage += command.commands.empty() ? " [OPTIONS]" : " COMMAND [OPTIONS]";
    std::vector<Entry> commands;
    for (CommandInfo const& below : command.commands) {
        commands.push_back({below.name(), below.description});
    }
    std::string text = wrapped_after("", 0, command.description + ".", columns) + "\n\n" +
                       wrapped(usage, columns) + '\n';
    text += list_text("Commands", commands, columns);
    text += list_text("Options", options, columns);
    text += command.footer.empty() ? "" : '\n' + wrapped(command.footer, columns) + '\n';
    text +=
        list_text("Limits on input files, of every command; raise them for files that you trust",
                  limits,
                  columns);
    return text;
}

} // namespace keyswap::tools
