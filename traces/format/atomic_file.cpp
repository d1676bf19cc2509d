#include "traces/format/atomic_file.hpp"

#include "traces/errors/contracts.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace keyswap {

namespace {

namespace fs = std::filesystem;

constexpr mode_t new_file_mode = 0666; ///< less the umask

/// Names that no other process and no other call of this one uses at the same time. They do not
/// contain the file's own, which may be as long as names can be.
fs::path temporary_name(fs::path const& target) {
    static std::atomic<unsigned> calls{0};
    std::string name = ".keyswap-" + std::to_string(getpid());
    name += "-" + std::to_string(calls.fetch_add(1)) + ".partial";
    return target.parent_path() / name;
}

/// An unnamed file gets its name by way of /proc. \return the descriptor, below 0 on failure
int open_unnamed([[maybe_unused]] fs::path const& folder) {
#ifdef O_TMPFILE
    if (::access("/proc/self/fd", X_OK) == 0) {
        return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, new_file_mode);
    }
#endif
    return -1;
}

} // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, std::nullopt)),
      descriptor_(std::exchange(other.descriptor_, -1)), direct_(other.direct_),
      replaces_(other.replaces_) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
    if (this != &other) {
        abandon();
        path_ = std::move(other.path_);
        target_ = std::move(other.target_);
        temporary_ = std::exchange(other.temporary_, std::nullopt);
        descriptor_ = std::exchange(other.descriptor_, -1);
        direct_ = other.direct_;
        replaces_ = other.replaces_;
    }
    return *this;
}

AtomicFile::~AtomicFile() {
    abandon();
}

void AtomicFile::abandon() noexcept {
    if (descriptor_ >= 0) {
        ::close(std::exchange(descriptor_, -1));
    }
    if (temporary_) {
        ::unlink(temporary_->c_str());
        temporary_.reset();
    }
}

InputError AtomicFile::failure(std::string const& action, int error_number) const {
    std::string const remedy = error_number == ENOSPC
                                   ? "free some space or choose another place"
                                   : "choose a path in an existing folder that you may write to";
    std::string const name = is_standard_output(path_) ? "standard output" : path_.string();
    return {name, "cannot be " + action + ": " + std::strerror(error_number), remedy};
}

Expected<AtomicFile> AtomicFile::create(fs::path const& path) {
    AtomicFile file(path);
    if (path.empty()) {
        return tl::unexpected(file.failure("written", ENOENT));
    }
    struct stat status {};
    bool const to_standard_output = is_standard_output(path);
    bool const exists = !to_standard_output && ::stat(path.c_str(), &status) == 0;
    if (!exists && !to_standard_output && errno != ENOENT) {
        return tl::unexpected(file.failure("written", errno));
    }
    if (exists && S_ISDIR(status.st_mode)) {
        return tl::unexpected(file.failure("written", EISDIR));
    }
    if (exists && ::access(path.c_str(), W_OK) != 0) {
        return tl::unexpected(file.failure("written", errno));
    }
    bool const direct = to_standard_output || (exists && !S_ISREG(status.st_mode));
    auto opened = direct ? file.open_direct() : file.open_beside();
    if (!opened) {
        return tl::unexpected(std::move(opened.error()));
    }
    if (exists && !direct) {
        file.replaces_ = true;
        // Where the owner cannot be kept, the new file is the user's own, as with any copy.
        bool const kept = ::fchown(file.descriptor_, status.st_uid, status.st_gid) == 0;
        mode_t const mode = status.st_mode & (kept ? 07777U : 0777U);
        if (::fchmod(file.descriptor_, mode) != 0) {
            return tl::unexpected(file.failure("given its mode", errno));
        }
    }
    return file;
}

Expected<void> AtomicFile::open_direct() {
    direct_ = true;
    descriptor_ = is_standard_output(path_) ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                            : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
        return tl::unexpected(failure("written", errno));
    }
    return {};
}

Expected<void> AtomicFile::open_beside() {
    std::error_code error;
    fs::path const resolved = fs::weakly_canonical(fs::absolute(path_), error);
    target_ = error ? fs::absolute(path_) : resolved;
    if (target_.filename().empty()) {
        return tl::unexpected(failure("written", EISDIR));
    }
    descriptor_ = open_unnamed(target_.parent_path());
    if (descriptor_ < 0) {
        fs::path const name = temporary_name(target_);
        descriptor_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, new_file_mode);
        if (descriptor_ < 0) {
            return tl::unexpected(failure("written", errno));
        }
        temporary_ = name;
    }
    return {};
}

Expected<void> AtomicFile::write(std::span<char const> bytes) {
    KEYSWAP_EXPECTS(descriptor_ >= 0);
    while (!bytes.empty()) {
        ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return tl::unexpected(failure("written", errno));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

Expected<void> AtomicFile::write_at(std::uint64_t offset, std::span<char const> bytes) {
    KEYSWAP_EXPECTS(descriptor_ >= 0 && !direct_);
    while (!bytes.empty()) {
        ssize_t const written =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return tl::unexpected(failure("written", errno));
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return {};
}

Expected<void> AtomicFile::name_unnamed() {
    std::string const unnamed = "/proc/self/fd/" + std::to_string(descriptor_);
    auto const link_as = [&unnamed](fs::path const& name) {
        return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (!replaces_ && link_as(target_)) {
        return {};
    }
    // An unnamed file cannot replace an older one, so it gets a name for the rename's sake.
    fs::path const name = temporary_name(target_);
    if (!link_as(name)) {
        return tl::unexpected(failure("named", errno));
    }
    temporary_ = name;
    return {};
}

Expected<void> AtomicFile::commit() {
    KEYSWAP_EXPECTS(descriptor_ >= 0);
    if (!direct_ && !temporary_) {
        if (auto named = name_unnamed(); !named) {
            return named;
        }
    }
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        return tl::unexpected(failure("written", errno));
    }
    if (temporary_) {
        if (::rename(temporary_->c_str(), target_.c_str()) != 0) {
            return tl::unexpected(failure("named", errno));
        }
        temporary_.reset();
    }
    return {};
}

bool is_standard_output(fs::path const& path) {
    return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

Expected<void> write_whole_file(fs::path const& path, std::string_view text) {
    auto file = AtomicFile::create(path);
    if (!file) {
        return tl::unexpected(std::move(file.error()));
    }
    if (auto written = file->write(text); !written) {
        return written;
    }
    return file->commit();
}

} // namespace keyswap
