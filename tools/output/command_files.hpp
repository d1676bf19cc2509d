#pragma once

/// \file Which files a command reads and writes, so that none destroys what it was given: an output
/// is never an input, no two outputs are one file, and what exists is replaced only by --force.

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

/// A file as the command line names it.
struct NamedFile {
    std::string option;              ///< "--output"
    std::optional<std::string> path; ///< nullopt if the option was not given; "-" is standard
                                     ///< input or output
    bool compressible = false;       ///< written compressed if its name ends in .gz or .zst
};

/// All files of a command.
struct CommandFiles {
    std::vector<NamedFile> read;
    std::vector<NamedFile> written;
    /// The option that has its result printed, as "--json"; empty if text is printed.
    std::string printed;
    Existing existing = Existing::keep;

    /// Where the text for people goes: to standard output, or to standard error where a result or a
    /// file is written to standard output.
    [[nodiscard]] std::ostream& text() const;
};

/// Adds --force, the one word for replacing files.
void add_force_option(CLI::App& command, Existing& existing);

/// Adds --csv FILE, the one option for rows as CSV; "-" prints them. \param what they are
void add_csv_option(CLI::App& command, std::optional<std::string>& path, std::string const& what);

/// Refuses names that contradict each other, that would destroy an input, or that promise a
/// compression that does not take place.
[[nodiscard]] Expected<void> check_names(CommandFiles const& files);

/// The same, and files that exist unless they are to be replaced; before any work is done.
[[nodiscard]] Expected<void> check_files(CommandFiles const& files);

/// \return an error where `path` is there already and is to be kept. \param option its name
[[nodiscard]] Expected<void>
check_existing(std::string const& option, std::string const& path, Existing existing);

/// The words of `read` options that take several files.
[[nodiscard]] std::vector<NamedFile> named_files(std::string const& option,
                                                 std::vector<std::string> const& paths);

} // namespace keyswap::tools
