#include "tools/output/command_files.hpp"

#include "model/key_files/key_file_format.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/output/closed_pipe.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sys/stat.h>
#include <unistd.h>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

/// Identity of a file: equal for two names of the same file.
struct Identity {
    std::string path; ///< canonical path; "-" is standard output
    bool is_file = false;
    dev_t device = 0;
    ino_t inode = 0;

    friend bool operator==(Identity const&, Identity const&) = default;
};

Identity identity_of(std::string const& path) {
    if (is_standard_output(path)) {
        return {"-", false, 0, 0};
    }
    std::error_code error;
    fs::path resolved = fs::absolute(path, error);
    if (!error) {
        resolved = fs::weakly_canonical(resolved, error);
    }
    Identity identity{error ? path : resolved.string(), false, 0, 0};
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
        identity.is_file = true;
        identity.device = status.st_dev;
        identity.inode = status.st_ino;
    }
    return identity;
}

/// True if writing to one changes the other's contents: both are the same file, possibly through a
/// hard link.
bool same_content(Identity const& left, Identity const& right) {
    return left.is_file && right.is_file && left.device == right.device &&
           left.inode == right.inode;
}

/// True if both are written to the same place. Devices may be written several times.
bool same_place(Identity const& left, Identity const& right) {
    std::error_code error;
    bool const is_device = !left.is_file && left.path != "-" && fs::exists(left.path, error);
    return left.path == right.path && !is_device;
}

/// The file to which standard output is redirected; nullopt if it is none.
std::optional<Identity> standard_output_file() {
    struct stat status {};
    if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    return Identity{"", true, status.st_dev, status.st_ino};
}

std::string both(std::string const& left, std::string const& right) {
    return left == right ? left : left + " and " + right;
}

Expected<void> named_by_nothing(CommandFiles const& files) {
    for (auto const* list : {&files.read, &files.written}) {
        for (NamedFile const& file : *list) {
            if (file.path && file.path->empty()) {
                return input_error(file.option, "'' is not a file name", "give a file's name");
            }
        }
    }
    return {};
}

Expected<void> printed_twice(CommandFiles const& files) {
    for (NamedFile const& output : files.written) {
        if (output.path && is_standard_output(*output.path) && !files.printed.empty()) {
            return input_error(both(files.printed, output.option),
                               "both go to standard output",
                               "name a file for one of them");
        }
    }
    return {};
}

Expected<void> input_destroyed(CommandFiles const& files) {
    auto const printed_into = standard_output_file();
    for (NamedFile const& input : files.read) {
        if (!input.path) {
            continue;
        }
        Identity const read =
            *input.path == "-" ? identity_of("/dev/stdin") : identity_of(*input.path);
        if (printed_into && same_content(read, *printed_into)) {
            return input_error(*input.path,
                               "is an input, and standard output is redirected to it",
                               "choose another file");
        }
        for (NamedFile const& output : files.written) {
            if (output.path && same_content(read, identity_of(*output.path))) {
                return input_error(*output.path,
                                   "is read by " + input.option + " and would be overwritten by " +
                                       output.option,
                                   "choose another name for the output");
            }
        }
    }
    return {};
}

Expected<void> written_twice(CommandFiles const& files) {
    auto const printed_into = standard_output_file();
    for (std::size_t i = 0; i < files.written.size(); ++i) {
        if (!files.written[i].path) {
            continue;
        }
        Identity const first = identity_of(*files.written[i].path);
        if (printed_into && same_content(first, *printed_into)) {
            return input_error(*files.written[i].path,
                               "is written by " + files.written[i].option +
                                   ", and standard output is redirected to it",
                               "choose another file, or '-' for standard output");
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (files.written[j].path && same_place(identity_of(*files.written[j].path), first)) {
                return input_error(both(files.written[j].option, files.written[i].option),
                                   "name the same file, " + *files.written[i].path,
                                   "choose another name for one of them");
            }
        }
    }
    return {};
}

Expected<void> compressed_by_name_only(CommandFiles const& files) {
    for (NamedFile const& output : files.written) {
        if (output.path && !output.compressible) {
            KEYSWAP_RETURN_IF_ERROR(model::refuse_compressed_name(*output.path));
        }
    }
    return {};
}

/// True for a symbolic link without a target: its name is taken all the same.
bool is_dangling_link(fs::path const& path) {
    std::error_code error;
    return fs::is_symlink(path, error) && !fs::exists(path, error);
}

} // namespace

std::ostream& CommandFiles::text() const {
    bool const taken =
        !printed.empty() || std::ranges::any_of(written, [](NamedFile const& output) {
            return output.path && is_standard_output(*output.path);
        });
    return taken ? remark_stream() : std::cout;
}

void add_force_option(CLI::App& command, Existing& existing) {
    command.add_flag_callback(
        "--force", [&existing] { existing = Existing::replace; }, "Overwrite existing files");
}

void add_csv_option(CLI::App& command, std::optional<std::string>& path, std::string const& what) {
    command.add_option("--csv", path, what + "; - prints it");
}

Expected<void>
check_existing(std::string const& option, std::string const& path, Existing existing) {
    std::error_code error; // ignored: opening the file reports it
    bool const there =
        !is_standard_output(path) && (fs::is_regular_file(path, error) || is_dangling_link(path));
    if (existing == Existing::keep && there) {
        return input_error(
            path, "already exists", "choose another " + option + ", or replace it with --force");
    }
    return {};
}

Expected<void> check_names(CommandFiles const& files) {
    for (auto const check : {named_by_nothing,
                             compressed_by_name_only,
                             printed_twice,
                             input_destroyed,
                             written_twice}) {
        KEYSWAP_RETURN_IF_ERROR(check(files));
    }
    bool const has_outputs = std::ranges::any_of(files.written, [](NamedFile const& output) {
        return output.path && !is_standard_output(*output.path);
    });
    if (has_outputs) {
        outlive_closed_pipe();
    }
    return {};
}

Expected<void> check_files(CommandFiles const& files) {
    KEYSWAP_RETURN_IF_ERROR(check_names(files));
    if (Publication* const publication = Publication::active()) {
        publication->set_existing(files.existing); // includes files created later
    }
    for (NamedFile const& output : files.written) {
        if (output.path) {
            KEYSWAP_RETURN_IF_ERROR(check_existing(output.option, *output.path, files.existing));
        }
    }
    return {};
}

std::vector<NamedFile> named_files(std::string const& option,
                                   std::vector<std::string> const& paths) {
    std::vector<NamedFile> files;
    files.reserve(paths.size());
    for (std::string const& path : paths) {
        files.push_back({option, path});
    }
    return files;
}

} // namespace keyswap::tools
