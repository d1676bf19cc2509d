#include "tools/commands/help/man_page.hpp"

#include "traces/errors/joined_text.hpp"

#include <algorithm>
#include <cctype>

namespace keyswap::tools {

namespace {

/// Escapes text for troff: dashes are literal, and no line begins a request.
std::string roff(std::string_view text) {
    std::string escaped;
    bool line_begins = true;
    for (char const letter : text) {
        if (line_begins && (letter == '.' || letter == '\'')) {
            escaped += "\\&";
        }
        switch (letter) {
        case '\\':
            escaped += "\\e";
            break;
        case '-':
            escaped += "\\-";
            break;
        default:
            escaped += letter;
        }
        line_begins = letter == '\n';
    }
    return escaped;
}

std::string option_entry(OptionInfo const& option) {
    std::string text = ".TP\n";
    std::string names;
    for (std::string const& name : option.names) {
        names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    }
    if (!option.argument.empty()) {
        names = "\\fI" + roff(option.argument) + "\\fR";
    } else if (option.takes_value()) {
        names += " \\fI" + roff(option.value) + "\\fR";
    }
    text += names + "\n" + roff(option.description) + "\n";
    if (!option.values.empty()) {
        text += "Known: " + roff(joined_text(option.values, ", ")) + ".\n";
    }
    if (option.required) {
        text += "Required.\n";
    }
    if (!option.default_value.empty()) {
        text += "Default: " + roff(option.default_value) + ".\n";
    }
    return text;
}

enum class Kind { options, limits };

std::string option_entries(CommandInfo const& command, Kind kind) {
    std::string text;
    for (OptionInfo const& option : command.options) {
        text += option.is_limit == (kind == Kind::limits) ? option_entry(option) : "";
    }
    return text;
}

std::string section(std::string const& title, std::string const& text) {
    return text.empty() ? "" : ".SH " + title + "\n" + text;
}

std::string title_line(std::string name, PageEdition const& edition) {
    for (char& letter : name) {
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    return ".TH \"" + roff(name) + "\" 1 \"" + std::string(edition.date) + "\" \"keyswap " +
           roff(edition.version) + "\"\n";
}

/// Page name "keyswap-check" of command "keyswap check".
std::string page_name(CommandInfo const& command) {
    std::string name = command.full_name();
    std::ranges::replace(name, ' ', '-');
    return name;
}

/// Examples of a command and its subcommands. \param command empty: all commands
std::string examples_of(std::string_view command, std::span<Example const> examples) {
    std::string text;
    for (Example const& example : examples) {
        bool const is_of_it = command.empty() || example.command == command ||
                              example.command.starts_with(std::string(command) + " ");
        if (is_of_it) {
            text += ".TP\n\\fB" + roff(example.line) + "\\fR\n" + roff(example.purpose) + "\n";
        }
    }
    return text;
}

std::string paragraphs(std::string_view text) {
    std::string all;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        all += ".PP\n" + roff(text.substr(0, end)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

constexpr char const* limits_title = "LIMITS OF FILES";

} // namespace

std::string program_page(CommandInfo const& program,
                         PageEdition const& edition,
                         std::span<Example const> examples) {
    std::string commands;
    std::string pages;
    for (CommandInfo const& command : program.commands) {
        commands +=
            ".TP\n\\fB" + roff(command.name()) + "\\fR\n" + roff(command.description) + "\n";
        pages +=
            std::string(pages.empty() ? "" : ",\n") + ".BR " + roff(page_name(command)) + " (1)";
    }
    return title_line("keyswap", edition) +
           section("NAME", "keyswap \\- plan, replay, simulate and check multi\\-GPU sorts\n") +
           section("SYNOPSIS", ".B keyswap\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n") +
           section("DESCRIPTION", roff(program.description) + ".\n" + paragraphs(program.footer)) +
           section("COMMANDS", commands) +
           section("OPTIONS", option_entries(program, Kind::options)) +
           section("EXAMPLES", examples_of("", examples)) +
           section(limits_title, option_entries(program, Kind::limits)) +
           section("SEE ALSO", pages + "\n");
}

std::string command_page(CommandInfo const& program,
                         CommandInfo const& command,
                         PageEdition const& edition,
                         std::span<Example const> examples) {
    std::string below;
    for (CommandInfo const* it : all_commands(command)) {
        if (it != &command) {
            below += ".SS \"" + roff(it->full_name()) + "\"\n" + roff(it->description) + ".\n" +
                     option_entries(*it, Kind::options);
        }
    }
    std::string usage = ".B " + roff(command.full_name()) + "\n";
    for (OptionInfo const& option : command.options) {
        if (!option.positional.empty()) {
            usage += "[\\fI" + roff(option.positional) + "\\fR" +
                     std::string(option.several ? " ..." : "") + "]\n";
        }
    }
    usage +=
        std::string(command.commands.empty() ? "" : "\\fICOMMAND\\fR ") + "[\\fIOPTIONS\\fR]\n";
    return title_line(page_name(command), edition) +
           section("NAME", roff(page_name(command)) + " \\- " + roff(command.description) + "\n") +
           section("SYNOPSIS", usage) +
           section("DESCRIPTION", roff(command.description) + ".\n" + paragraphs(program.footer)) +
           section("OPTIONS", option_entries(command, Kind::options)) + section("COMMANDS", below) +
           section("EXAMPLES", examples_of(command.name(), examples)) +
           section(limits_title, option_entries(program, Kind::limits)) +
           section("SEE ALSO", ".BR keyswap (1)\n");
}

} // namespace keyswap::tools
