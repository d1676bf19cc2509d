#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Description of an option, for manuals and completions.
struct OptionInfo {
    std::vector<std::string> names; ///< with dashes, long ones first; empty for a positional
    std::string argument;           ///< name of a positional argument, else empty
    std::string value;              ///< placeholder of the value: "TEXT", "COUNT"; empty for a flag
    std::string default_value;      ///< empty if there is none
    std::string description;
    bool required = false;
    std::vector<std::string> values = {}; ///< allowed values, if they can be listed
    bool takes_file = true;               ///< a file name is allowed
    std::string positional = {};          ///< name of its positional form, if any
    bool several = false;                 ///< accepts several values
    bool is_limit = false;                ///< limit on resources of files; listed last

    [[nodiscard]] bool takes_value() const { return !value.empty(); }
};

/// A command of the program with its subcommands.
struct CommandInfo {
    std::vector<std::string> path; ///< "keyswap", "topology", "show"
    std::string description;
    std::vector<OptionInfo> options;
    std::vector<CommandInfo> commands;
    std::string footer = {}; ///< examples and remarks

    [[nodiscard]] std::string const& name() const { return path.back(); }
    /// Path as text: "keyswap topology show".
    [[nodiscard]] std::string full_name() const;
};

/// Commands as parsed by CLI11, without options hidden from the help.
[[nodiscard]] CommandInfo command_words(CLI::App const& app);

/// Path of a command from the program's name on: "keyswap", "topology", "show".
[[nodiscard]] std::vector<std::string> command_path(CLI::App const& command);

/// Joins words with spaces: "keyswap topology show".
[[nodiscard]] std::string path_text(std::vector<std::string> const& path);

/// The command and all its descendants, in preorder.
[[nodiscard]] std::vector<CommandInfo const*> all_commands(CommandInfo const& command);

} // namespace keyswap::tools
