#include "traces/atomic_file.hpp"

#include "traces/contracts.hpp"

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

/// Names that no other process and no other call of this one uses at the same time.
fs::path temporary_name(fs::path const& target) {
    static std::atomic<unsigned> calls{0};
    std::string name(1, '.');
    name += target.filename().string() + "." + std::to_string(getpid());
    name += "-" + std::to_string(calls.fetch_add(1)) + ".partial";
    return target.parent_path() / name;
}

} // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, std::nullopt)),
      descriptor_(std::exchange(other.descriptor_, -1)), direct_(other.direct_) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
    if (this != &other) {
        abandon();
        path_ = std::move(other.path_);
        target_ = std::move(other.target_);
        temporary_ = std::exchange(other.temporary_, std::nullopt);
        descriptor_ = std::exchange(other.descriptor_, -1);
        direct_ = other.direct_;
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
    return {path_.string(), "cannot be " + action + ": " + std::strerror(error_number), remedy};
}

Expected<AtomicFile> AtomicFile::create(fs::path const& path) {
    AtomicFile file(path);
    if (path.empty()) {
        return tl::unexpected(file.failure("written", ENOENT));
    }
    std::error_code error;
    fs::path const resolved = fs::weakly_canonical(path, error);
    file.target_ = error || resolved.empty() ? fs::absolute(path) : resolved;
    struct stat status {};
    bool const exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        return tl::unexpected(file.failure("written", EISDIR));
    }
    if (exists && ::access(path.c_str(), W_OK) != 0) {
        return tl::unexpected(file.failure("written", errno));
    }
    auto opened = exists && !S_ISREG(status.st_mode) ? file.open_direct() : file.open_beside();
    if (!opened) {
        return tl::unexpected(std::move(opened.error()));
    }
    return file;
}

Expected<void> AtomicFile::open_direct() {
    direct_ = true;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
        return tl::unexpected(failure("written", errno));
    }
    return {};
}

Expected<void> AtomicFile::open_beside() {
    fs::path const folder = target_.parent_path();
    if (target_.filename().empty()) {
        return tl::unexpected(failure("written", EISDIR));
    }
#ifdef O_TMPFILE
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, new_file_mode);
#endif
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

Expected<void> AtomicFile::commit() {
    KEYSWAP_EXPECTS(descriptor_ >= 0);
    if (!direct_ && !temporary_) {
        // An unnamed file cannot replace an older one, so it gets a name for the rename's sake.
        fs::path const name = temporary_name(target_);
        std::string const unnamed = "/proc/self/fd/" + std::to_string(descriptor_);
        if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
            return tl::unexpected(failure("named", errno));
        }
        temporary_ = name;
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

} // namespace keyswap
