#include "tools/record/process/private_folder.hpp"

#include "traces/errors/try.hpp"
#include "traces/format/descriptor.hpp"
#include "traces/format/full_write.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace keyswap::conformance {

namespace {

namespace fs = std::filesystem;

InputError file_error(fs::path const& path, std::string const& problem, int error_number) {
    return {path.string(),
            problem + ": " + std::strerror(error_number),
            error_number == ENOSPC ? "free some space or name another folder"
                                   : "name another folder"};
}

/// Opens without following a link and without blocking on a pipe.
int open_to_read(fs::path const& path) {
    return ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

Expected<std::uint64_t> size_of_regular(int descriptor, fs::path const& path) {
    InputError const irregular{path.string(),
                               "is not a regular file",
                               "have the command write its keys to the file {output}"};
    if (descriptor < 0) {
        int const error = errno;
        bool const absent = error == ENOENT;
        return tl::unexpected(absent ? InputError{path.string(), "was not written", ""}
                              : error == ELOOP || error == ENXIO
                                  ? irregular
                                  : file_error(path, "cannot be read", error));
    }
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return tl::unexpected(irregular);
    }
    return static_cast<std::uint64_t>(status.st_size);
}

} // namespace

Expected<PrivateFolder> PrivateFolder::make(fs::path const& parent) {
    PrivateFolder folder;
    std::error_code error;
    if (fs::create_directories(parent, error)) {
        folder.made_ = parent;
    }
    if (error) {
        return tl::unexpected(file_error(parent, "cannot be made", error.value()));
    }
    std::string name = (parent / "run-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        return tl::unexpected(file_error(parent, "no folder can be made in it", errno));
    }
    folder.path_ = name;
    return folder;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())),
      made_(std::exchange(other.made_, std::nullopt)), kept_(other.kept_) {}

PrivateFolder::~PrivateFolder() {
    if (!kept_ && !path_.empty()) {
        remove_folder(path_);
    }
    if (made_) {
        ::rmdir(made_->c_str()); // fails unless empty
    }
}

Expected<UnquotedPath> UnquotedPath::of(fs::path const& folder) {
    auto const is_plain = [](char letter) {
        bool const alphanumeric = (letter >= 'a' && letter <= 'z') ||
                                  (letter >= 'A' && letter <= 'Z') ||
                                  (letter >= '0' && letter <= '9');
        return alphanumeric || std::string_view("/._-").find(letter) != std::string_view::npos;
    };
    UnquotedPath name;
    if (std::ranges::all_of(folder.string(), is_plain)) {
        name.path_ = folder;
        return name;
    }
    std::string link_folder = "/tmp/keyswap-record-XXXXXX";
    if (::mkdtemp(link_folder.data()) == nullptr) {
        return input_error(folder.string(),
                           std::string("needs a link in /tmp: ") + std::strerror(errno),
                           "name a folder of letters, digits, '.', '_' and '-'");
    }
    name.link_folder_ = link_folder;
    name.path_ = name.link_folder_ / "files";
    if (::symlink(folder.c_str(), name.path_.c_str()) != 0) {
        return tl::unexpected(file_error(name.path_, "cannot be made", errno));
    }
    return name;
}

UnquotedPath::UnquotedPath(UnquotedPath&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())),
      link_folder_(std::exchange(other.link_folder_, fs::path())) {}

UnquotedPath::~UnquotedPath() {
    if (!link_folder_.empty()) {
        remove_folder(link_folder_);
    }
}

void remove_folder(fs::path const& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (!error) {
        return;
    }
    // Restores write permission, outer folders first, and tries again.
    fs::permissions(folder, fs::perms::owner_all, error);
    for (fs::recursive_directory_iterator entry(folder, error), end; entry != end && !error;
         entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) {
            fs::permissions(entry->path(), fs::perms::owner_all, ignored);
        }
    }
    fs::remove_all(folder, error);
}

Expected<void> write_new_file(fs::path const& path, std::span<std::byte const> bytes) {
    constexpr mode_t mode = 0666; // modified by the umask
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.number() < 0) {
        return tl::unexpected(file_error(path, "cannot be made", errno));
    }
    if (int const error_number = write_fully(
            file.number(), {reinterpret_cast<char const*>(bytes.data()), bytes.size()})) {
        return tl::unexpected(file_error(path, "cannot be written", error_number));
    }
    if (file.close() != 0) {
        return tl::unexpected(file_error(path, "cannot be written", errno));
    }
    return {};
}

Expected<std::uint64_t> regular_file_size(fs::path const& path) {
    Descriptor const file(open_to_read(path));
    return size_of_regular(file.number(), path);
}

Expected<std::vector<std::byte>> read_regular_file(fs::path const& path, std::uint64_t size_bytes) {
    Descriptor const file(open_to_read(path));
    KEYSWAP_RETURN_IF_ERROR(size_of_regular(file.number(), path));
    std::vector<std::byte> bytes(size_bytes);
    for (std::size_t done = 0; done < bytes.size();) {
        ssize_t const size = ::read(file.number(), bytes.data() + done, bytes.size() - done);
        if (size == 0 || (size < 0 && errno != EINTR)) {
            return tl::unexpected(
                file_error(path, "cannot be read whole", size == 0 ? EIO : errno));
        }
        done += static_cast<std::size_t>(std::max(size, ssize_t{0}));
    }
    return bytes;
}

} // namespace keyswap::conformance
