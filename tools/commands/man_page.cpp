#include "tools/commands/man_page.hpp"

namespace keyswap::tools {

namespace {

/// Text that troff prints as it stands: a dash is a dash, and no line is a request.
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

std::string option_entry(OptionWords const& option) {
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
        std::string known;
        for (std::string const& value : option.values) {
            known += (known.empty() ? "" : ", ") + value;
        }
        text += "Known: " + roff(known) + ".\n";
    }
    if (option.required) {
        text += "Required.\n";
    }
    if (!option.default_value.empty()) {
        text += "Default: " + roff(option.default_value) + ".\n";
    }
    return text;
}

std::string command_section(CommandWords const& command) {
    std::string text = ".SS \"" + roff(command.full_name()) + "\"\n";
    text += roff(command.description) + ".\n";
    for (OptionWords const& option : command.options) {
        text += option_entry(option);
    }
    return text;
}

} // namespace

std::string man_page(CommandWords const& program,
                     std::string_view version,
                     std::string_view date,
                     std::string_view footer,
                     std::span<Example const> examples) {
    std::string text =
        ".TH KEYSWAP 1 \"" + std::string(date) + "\" \"keyswap " + roff(version) + "\"\n";
    text += ".SH NAME\n" + roff(program.name()) +
            " \\- plan, replay, simulate and check multi\\-GPU sorts\n";
    text += ".SH SYNOPSIS\n.B " + roff(program.name()) + "\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n";
    text += ".SH DESCRIPTION\n" + roff(program.description) + "\n";
    for (std::string_view rest = footer; !rest.empty();) {
        auto const end = rest.find('\n');
        text += ".PP\n" + roff(rest.substr(0, end)) + "\n";
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    text += ".SH OPTIONS\n";
    for (OptionWords const& option : program.options) {
        text += option_entry(option);
    }
    text += ".SH COMMANDS\n";
    for (CommandWords const* command : all_commands(program)) {
        if (command != &program) {
            text += command_section(*command);
        }
    }
    text += ".SH EXAMPLES\n";
    for (Example const& example : examples) {
        text += ".TP\n\\fB" + roff(example.line) + "\\fR\n" + roff(example.purpose) + "\n";
    }
    return text;
}

} // namespace keyswap::tools
