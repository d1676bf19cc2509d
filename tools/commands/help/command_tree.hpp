#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// An option as manuals and completions describe it.
struct OptionWords {
    std::vector<std::string> names; ///< with their dashes, long ones first; empty for an argument
    std::string argument;           ///< name of an argument without dashes, otherwise empty
    std::string value;              ///< what follows it: "TEXT", "COUNT"; empty for a flag
    std::string default_value;      ///< empty if there is none
    std::string description;
    bool required = false;
    std::vector<std::string> values = {}; ///< that it may have, where they can be listed
    bool takes_file = true;               ///< or a file's name
    std::string positional = {};          ///< name of what may be given without an option's name
    bool several = false;                 ///< takes several values
    bool is_limit = false;                ///< of what files may ask for; the last to read of

    [[nodiscard]] bool takes_value() const { return !value.empty(); }
};

/// A command of the program, with those below it.
struct CommandWords {
    std::vector<std::string> path; ///< "keyswap", "topology", "show"
    std::string description;
    std::vector<OptionWords> options;
    std::vector<CommandWords> commands;
    std::string footer = {}; ///< examples, remarks

    [[nodiscard]] std::string const& name() const { return path.back(); }
    /// "keyswap topology show"
    [[nodiscard]] std::string full_name() const;
};

/// The tree of commands that CLI11 parses by, without what is hidden from the help.
[[nodiscard]] CommandWords command_words(CLI::App const& app);

/// The path of a command below the program that parses it: "keyswap", "topology", "show".
[[nodiscard]] std::vector<std::string> command_path(CLI::App const& command);

/// The words with spaces between them: "keyswap topology show".
[[nodiscard]] std::string path_text(std::vector<std::string> const& path);

/// The command and all below it, each before its own.
[[nodiscard]] std::vector<CommandWords const*> all_commands(CommandWords const& command);

} // namespace keyswap::tools
