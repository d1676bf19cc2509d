#include "traces/format/publication.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/errno_remedy.hpp"
#include "traces/errors/error_subject.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace keyswap {

namespace {

namespace fs = std::filesystem;

constexpr mode_t placeholder_mode = 0600;

Publication*& active_publication() {
    static Publication* active = nullptr;
    return active;
}

/// renameat2() with flags, which some file systems lack. \return 0 or errno
int rename_with(fs::path const& from, fs::path const& to, unsigned flags) {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

int plain_rename(fs::path const& from, fs::path const& to) {
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

bool is_unsupported(int error_number) {
    return error_number == EINVAL || error_number == ENOSYS || error_number == EPERM ||
           error_number == EOPNOTSUPP;
}

/// Names an unnamed file through /proc/self/fd. \return 0 or errno
int link_descriptor(int descriptor, fs::path const& name) {
    std::string const unnamed = "/proc/self/fd/" + std::to_string(descriptor);
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0
               ? 0
               : errno;
}

} // namespace

fs::path temporary_name(fs::path const& target) {
    static std::atomic<unsigned> calls{0};
    std::string name = ".keyswap-" + std::to_string(getpid());
    name += "-" + std::to_string(calls.fetch_add(1)) + ".partial";
    return target.parent_path() / name;
}

int rename_file(fs::path const& from, fs::path const& to, Existing existing) {
    if (existing == Existing::replace) {
        return plain_rename(from, to);
    }
    int error_number = rename_with(from, to, RENAME_NOREPLACE);
    if (!is_unsupported(error_number)) {
        return error_number;
    }
    if (::link(from.c_str(), to.c_str()) == 0) {
        ::unlink(from.c_str());
        return 0;
    }
    if (!is_unsupported(errno)) {
        return errno;
    }
    // Without hard links: reserve the name with an empty file, then replace that file.
    constexpr int flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC;
    if (!Descriptor(::open(to.c_str(), flags, placeholder_mode)).is_open()) {
        return errno;
    }
    error_number = plain_rename(from, to);
    if (error_number != 0) {
        ::unlink(to.c_str());
    }
    return error_number;
}

InputError file_exists_error(fs::path const& path) {
    return {path.string(),
            "already exists",
            "choose another name, or replace it with " + setting("force")};
}

StagedFile::StagedFile(fs::path path,
                       fs::path target,
                       std::optional<fs::path> temporary,
                       Descriptor descriptor)
    : path_(std::move(path)), target_(std::move(target)), temporary_(std::move(temporary)),
      descriptor_(std::move(descriptor)) {}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)), target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, std::nullopt)),
      descriptor_(std::move(other.descriptor_)), placed_(std::exchange(other.placed_, false)),
      has_older_(std::exchange(other.has_older_, false)) {}

StagedFile& StagedFile::operator=(StagedFile&& other) noexcept {
    if (this != &other) {
        abandon();
        path_ = std::move(other.path_);
        target_ = std::move(other.target_);
        temporary_ = std::exchange(other.temporary_, std::nullopt);
        descriptor_ = std::move(other.descriptor_);
        placed_ = std::exchange(other.placed_, false);
        has_older_ = std::exchange(other.has_older_, false);
    }
    return *this;
}

StagedFile::~StagedFile() {
    abandon();
}

void StagedFile::abandon() noexcept {
    descriptor_ = {};
    if (temporary_) {
        ::unlink(temporary_->c_str());
        temporary_.reset();
    }
}

InputError StagedFile::failure(int error_number) const {
    return {
        path_.string(),
        "cannot be named: " + std::string(std::strerror(error_number)),
        errno_remedy(error_number, "choose a path in an existing folder that you may write to")};
}

int StagedFile::name_temporarily() {
    if (temporary_) {
        return 0;
    }
    fs::path const name = temporary_name(target_);
    int const error_number = link_descriptor(descriptor(), name);
    if (error_number == 0) {
        temporary_ = name;
    }
    return error_number;
}

int StagedFile::place_new() {
    if (!temporary_) {
        return link_descriptor(descriptor(), target_);
    }
    int const error_number = rename_file(*temporary_, target_, Existing::keep);
    if (error_number == 0) {
        temporary_.reset();
    }
    return error_number;
}

int StagedFile::replace(bool undoable) {
    if (int const error_number = name_temporarily(); error_number != 0) {
        return error_number;
    }
    struct stat there {};
    if (::lstat(target_.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) {
        return EISDIR; // an exchange would move the folder aside
    }
    if (undoable) {
        int const exchanged = rename_with(*temporary_, target_, RENAME_EXCHANGE);
        if (exchanged == 0) {
            has_older_ = true;
            return 0;
        }
        fs::path const backup = temporary_name(target_);
        if (is_unsupported(exchanged) && ::link(target_.c_str(), backup.c_str()) == 0) {
            int const error_number = plain_rename(*temporary_, target_);
            if (error_number != 0) {
                ::unlink(backup.c_str());
                return error_number;
            }
            temporary_ = backup;
            has_older_ = true;
            return 0;
        }
    }
    int const error_number = plain_rename(*temporary_, target_);
    if (error_number == 0) {
        temporary_.reset();
    }
    return error_number;
}

Expected<void> StagedFile::place(Existing existing, bool undoable) {
    KEYSWAP_EXPECTS(descriptor_.is_open() && !placed_);
    int error_number = place_new();
    if (error_number == EEXIST && existing == Existing::keep) {
        return tl::unexpected(file_exists_error(path_));
    }
    if (error_number == EEXIST) {
        error_number = replace(undoable);
    }
    if (error_number != 0) {
        return tl::unexpected(failure(error_number));
    }
    placed_ = true;
    return {};
}

void StagedFile::undo() noexcept {
    if (has_older_) {
        ::rename(temporary_->c_str(), target_.c_str());
        temporary_.reset();
        return;
    }
    struct stat own {};
    struct stat there {};
    if (::fstat(descriptor(), &own) == 0 && ::stat(target_.c_str(), &there) == 0 &&
        own.st_dev == there.st_dev && own.st_ino == there.st_ino) {
        ::unlink(target_.c_str());
    }
}

void StagedFile::finish() noexcept {
    abandon(); // a remaining temporary name belongs to the older file
}

Publication::Publication() {
    KEYSWAP_EXPECTS(active_publication() == nullptr);
    active_publication() = this;
}

Publication::~Publication() {
    active_publication() = nullptr;
}

Publication* Publication::active() {
    return active_publication();
}

void Publication::add(StagedFile file) {
    std::lock_guard const lock(mutex_);
    files_.push_back(std::move(file));
}

Expected<void> Publication::publish() {
    bool const undoable = files_.size() > 1;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        if (auto placed = files_[i].place(existing_, undoable); !placed) {
            for (std::size_t before = i; before-- > 0;) {
                files_[before].undo();
            }
            files_.clear();
            return placed;
        }
    }
    std::ranges::for_each(files_, &StagedFile::finish);
    files_.clear();
    return {};
}

} // namespace keyswap
