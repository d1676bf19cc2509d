#pragma once

/// \file Protects files of a command: an output is never an input, no two outputs are the same
/// file, and existing files are replaced only with --force.

#include "traces/errors/input_error.hpp"
#include "traces/format/publication.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// A file option of the command line.
struct NamedFile {
    std::string option;              ///< "--output"
    std::optional<std::string> path; ///< nullopt if not given; "-" is standard input
                                     ///< or output
    bool compressible = false;       ///< compressed if the name ends in .gz or .zst
};

/// All files of a command.
struct CommandFiles {
    std::vector<NamedFile> read;
    std::vector<NamedFile> written;
    /// The option that prints its result, such as "--json"; empty if text is printed.
    std::string printed;
    Existing existing = Existing::keep;

    /// Stream for text output: standard output, or standard error if a result or a file is written
    /// to standard output.
    [[nodiscard]] std::ostream& text() const;
};

/// Adds --force, which permits replacing existing files.
void add_force_option(CLI::App& command, Existing& existing);

/// Adds --csv FILE for rows as CSV; "-" prints them. \param what name of the rows, for the help
void add_csv_option(CLI::App& command, std::optional<std::string>& path, std::string const& what);

/// Returns an error for conflicting names, an output that would overwrite an input, or a
/// compression ending on an output that is not compressed. Outputs are completed even if the reader
/// of standard output stops early.
[[nodiscard]] Expected<void> check_names(CommandFiles const& files);

/// Like check_names(), and an error for existing files unless they may be replaced.
[[nodiscard]] Expected<void> check_files(CommandFiles const& files);

/// \return an error if `path` exists and must be kept \param option name, for the error
[[nodiscard]] Expected<void>
check_existing(std::string const& option, std::string const& path, Existing existing);

/// Entries of CommandFiles::read for an option that takes several files.
[[nodiscard]] std::vector<NamedFile> named_files(std::string const& option,
                                                 std::vector<std::string> const& paths);

} // namespace keyswap::tools
