#include "tools/commands/help/completion.hpp"

#include "traces/errors/joined_text.hpp"
#include "traces/records/enum_names.hpp"

#include <array>
#include <map>

namespace keyswap::tools {

namespace {

/// Quotes for bash and zsh, which have no escapes within single quotes.
std::string shell_quoted(std::string_view text) {
    std::string result = "'";
    for (char const letter : text) {
        result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return result + "'";
}

/// Quotes for fish, where a backslash escapes within single quotes.
std::string fish_quoted(std::string_view text) {
    std::string result = "'";
    for (char const letter : text) {
        if (letter == '\'' || letter == '\\') {
            result += '\\';
        }
        result += letter;
    }
    return result + "'";
}

/// First line of a description, since completions show one line.
std::string first_line(std::string const& text) {
    return text.substr(0, text.find('\n'));
}

/// Case pattern of all commands: 'keyswap sort'|'keyswap plan'.
std::string command_patterns(CommandInfo const& program) {
    std::string patterns;
    for (CommandInfo const* command : all_commands(program)) {
        if (command != &program) {
            patterns += (patterns.empty() ? "" : "|") + shell_quoted(command->full_name());
        }
    }
    return patterns;
}

/// Case patterns of all options with a value, 'keyswap sort --input'|..., by their known values
/// ("total equal"; empty: a file name or any value).
std::map<std::string, std::string> value_patterns(CommandInfo const& program) {
    std::map<std::string, std::string> patterns{{"", "''"}};
    for (CommandInfo const* command : all_commands(program)) {
        for (OptionInfo const& option : command->options) {
            for (std::string const& name : option.names) {
                if (option.takes_value()) {
                    std::string& pattern = patterns[joined_text(option.values, " ")];
                    pattern += (pattern.empty() ? "" : "|") +
                               shell_quoted(command->full_name() + " " + name);
                }
            }
        }
    }
    return patterns;
}

std::string bash_script(CommandInfo const& program) {
    std::string text = "# Completion of keyswap for bash, written by 'keyswap completion bash'.\n"
                       "_keyswap() {\n"
                       "    local command=keyswap words= i\n"
                       "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                       "        case \"$command ${COMP_WORDS[i]}\" in\n";
    text += "        " + command_patterns(program) + ") command+=\" ${COMP_WORDS[i]}\" ;;\n";
    text += "        esac\n"
            "    done\n"
            "    COMPREPLY=()\n"
            "    case \"$command ${COMP_WORDS[COMP_CWORD - 1]}\" in\n";
    for (auto const& [values, pattern] : value_patterns(program)) {
        // With no matching word, bash completes file names.
        text += "    " + pattern + ")\n        mapfile -t COMPREPLY < <(compgen -W " +
                shell_quoted(values) + " -- \"${COMP_WORDS[COMP_CWORD]}\"); return ;;\n";
    }
    text += "    esac\n"
            "    case $command in\n";
    for (CommandInfo const* command : all_commands(program)) {
        std::string words;
        for (CommandInfo const& below : command->commands) {
            words += below.name() + " ";
        }
        for (OptionInfo const& option : command->options) {
            for (std::string const& name : option.names) {
                words += name + " ";
            }
        }
        text += "    " + shell_quoted(command->full_name()) + ") words=" + shell_quoted(words) +
                " ;;\n";
    }
    text += "    esac\n"
            "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
            "}\n"
            "complete -o default -F _keyswap keyswap\n";
    return text;
}

/// Entry "word:description" for _describe.
std::string zsh_entry(std::string const& word, std::string const& description) {
    return "        " + shell_quoted(word + ":" + first_line(description)) + "\n";
}

std::string zsh_script(CommandInfo const& program) {
    std::string text = "#compdef keyswap\n"
                       "# Completion of keyswap for zsh, written by 'keyswap completion zsh'.\n"
                       "local command=keyswap i\n"
                       "local -a commands options\n"
                       "for ((i = 2; i < CURRENT; i++)); do\n"
                       "    case \"$command $words[i]\" in\n";
    text += "    (" + command_patterns(program) + ") command+=\" $words[i]\" ;;\n";
    text += "    esac\n"
            "done\n"
            "case \"$command $words[CURRENT-1]\" in\n";
    for (auto const& [values, pattern] : value_patterns(program)) {
        text += "(" + pattern + ") " +
                (values.empty() ? "_files"
                                : "options=(" + values + "); _describe value options || _files") +
                "; return ;;\n";
    }
    text += "esac\n"
            "case $command in\n";
    for (CommandInfo const* command : all_commands(program)) {
        text += "(" + shell_quoted(command->full_name()) + ")\n    commands=(\n";
        for (CommandInfo const& below : command->commands) {
            text += zsh_entry(below.name(), below.description);
        }
        text += "    )\n    options=(\n";
        for (OptionInfo const& option : command->options) {
            for (std::string const& name : option.names) {
                text += zsh_entry(name, option.description);
            }
        }
        text += "    ) ;;\n";
    }
    text += "esac\n"
            "(( $#commands )) && _describe command commands\n"
            "_describe -o option options\n";
    return text;
}

/// Condition: the command line has reached this command, but no subcommand of it.
std::string fish_condition(CommandInfo const& command) {
    std::string below;
    for (CommandInfo const& next : command.commands) {
        below += " " + next.name();
    }
    std::string condition;
    for (std::size_t i = 1; i < command.path.size(); ++i) {
        condition += (condition.empty() ? "" : "; and ") +
                     ("__fish_seen_subcommand_from " + command.path[i]);
    }
    if (!below.empty()) {
        condition += (condition.empty() ? "not __fish_seen_subcommand_from"
                                        : "; and not __fish_seen_subcommand_from") +
                     below;
    }
    return fish_quoted(condition);
}

std::string fish_script(CommandInfo const& program) {
    std::string text = "# Completion of keyswap for fish, written by 'keyswap completion fish'.\n"
                       "complete -c keyswap -f\n";
    for (CommandInfo const* command : all_commands(program)) {
        std::string const head = "complete -c keyswap -n " + fish_condition(*command);
        for (CommandInfo const& below : command->commands) {
            text += head + " -a " + fish_quoted(below.name()) + " -d " +
                    fish_quoted(first_line(below.description)) + "\n";
        }
        for (OptionInfo const& option : command->options) {
            if (option.names.empty()) {
                continue;
            }
            std::string line = head;
            for (std::string const& name : option.names) {
                line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            }
            line += option.takes_value() ? option.takes_file ? " -r -F" : " -x" : "";
            line +=
                option.values.empty() ? "" : " -a " + fish_quoted(joined_text(option.values, " "));
            text += line + " -d " + fish_quoted(first_line(option.description)) + "\n";
        }
    }
    return text;
}

} // namespace

Expected<Shell> parse_shell(std::string_view text) {
    constexpr std::array<EnumName<Shell>, 3> names{
        {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}}};
    return parse(std::span<EnumName<Shell> const>(names), text, "shell");
}

std::string completion_script(CommandInfo const& program, Shell shell) {
    switch (shell) {
    case Shell::bash:
        return bash_script(program);
    case Shell::zsh:
        return zsh_script(program);
    case Shell::fish:
        break;
    }
    return fish_script(program);
}

} // namespace keyswap::tools
