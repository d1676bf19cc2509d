#include "tools/external/storage.hpp"

#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace keyswap::tools {

namespace {

constexpr mode_t new_file_mode = 0666;                         ///< less the umask
constexpr std::size_t direct_bytes_min = std::size_t{1} << 16; ///< the cache is faster for less

int flags_of(StoredFile::Use use) {
    switch (use) {
    case StoredFile::Use::read:
        return O_RDONLY;
    case StoredFile::Use::create:
        return O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW;
    case StoredFile::Use::update:
        break;
    }
    return O_RDWR | O_CREAT;
}

} // namespace

int Storage::open(std::filesystem::path const& path, int flags) {
    return ::open(path.c_str(), flags | O_CLOEXEC, new_file_mode);
}

ssize_t Storage::read_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset) {
    return ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

ssize_t Storage::write_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) {
    return ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

int Storage::sync(int descriptor) {
    return ::fdatasync(descriptor);
}

int Storage::resize(int descriptor, std::uint64_t size_bytes) {
    return ::ftruncate(descriptor, static_cast<off_t>(size_bytes));
}

bool Storage::set_direct(int descriptor, bool is_direct) {
    int const flags = ::fcntl(descriptor, F_GETFL);
    return flags >= 0 &&
           ::fcntl(descriptor, F_SETFL, is_direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

int Storage::remove(std::filesystem::path const& path) {
    return ::unlink(path.c_str());
}

int Storage::rename(std::filesystem::path const& from,
                    std::filesystem::path const& to,
                    Existing existing) {
    return rename_file(from, to, existing);
}

std::optional<std::uint64_t> Storage::free_bytes(std::filesystem::path const& folder) {
    struct statvfs status {};
    if (::statvfs(folder.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return std::uint64_t{status.f_bavail} * status.f_frsize;
}

StoredFile::StoredFile(Storage& storage, std::filesystem::path path, int descriptor)
    : storage_(storage), path_(std::move(path)), descriptor_(descriptor) {}

StoredFile::~StoredFile() {
    ::close(descriptor_);
}

tl::unexpected<InputError> StoredFile::failure(std::string const& action) const {
    int const error = errno;
    bool const full = error == ENOSPC || error == EDQUOT;
    std::string const remedy = full             ? "free some space"
                               : error == EFBIG ? "raise the limit of file sizes (ulimit -f)"
                                                : "check the disk";
    return tl::unexpected(InputError{path_.string(),
                                     "cannot be " + action + ": " + std::strerror(error),
                                     remedy + ", then run the same command again: it continues"});
}

Expected<std::shared_ptr<StoredFile>>
StoredFile::open(Storage& storage, std::filesystem::path const& path, Use use) {
    int const descriptor = storage.open(path, flags_of(use));
    if (descriptor < 0) {
        int const error = errno;
        return tl::unexpected(InputError{
            path.string(),
            std::string("cannot be ") + (use == Use::read ? "read: " : "written: ") +
                std::strerror(error),
            use == Use::read ? "check that it exists and that you may read it"
                             : "choose a path in an existing folder that you may write to"});
    }
    return std::make_shared<StoredFile>(storage, path, descriptor);
}

std::size_t StoredFile::prepare(std::uint64_t offset, std::span<std::byte const> bytes) {
    std::size_t const before = offset % page_bytes; // of the page in which the bytes begin
    std::size_t const head = before == 0 ? 0 : page_bytes - before;
    bool const alike = reinterpret_cast<std::uintptr_t>(bytes.data()) % page_bytes == before;
    bool const wanted = can_be_direct_ && alike && bytes.size() >= head + direct_bytes_min;
    bool const is_direct = wanted && head == 0;
    if (is_direct != is_direct_) {
        can_be_direct_ = storage_.set_direct(descriptor_, is_direct);
        is_direct_ = is_direct && can_be_direct_;
    }
    return is_direct_ ? bytes.size() / page_bytes * page_bytes : wanted ? head : bytes.size();
}

template <class Byte, class Access>
Expected<void> StoredFile::move(std::span<Byte> bytes,
                                std::uint64_t offset,
                                char const* action,
                                Access const& access) {
    while (!bytes.empty()) {
        ssize_t const count = access(bytes.first(prepare(offset, bytes)), offset);
        if (count < 0 && errno == EINVAL && is_direct_) {
            can_be_direct_ = false; // its sectors are larger
            continue;
        }
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 || (count == 0 && std::is_const_v<Byte>)) {
            return failure(action);
        }
        if (count == 0) {
            return tl::unexpected(InputError{path_.string(),
                                             "ends at byte " + grouped_count(offset) + ", " +
                                                 grouped_count(bytes.size()) +
                                                 " bytes before it should",
                                             "it was shortened; do not change files of a sort "
                                             "that is running or interrupted"});
        }
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

Expected<void> StoredFile::read(std::uint64_t offset, std::span<std::byte> bytes) {
    return move(bytes, offset, "read", [this](std::span<std::byte> part, std::uint64_t at) {
        return storage_.read_at(descriptor_, part, at);
    });
}

Expected<void> StoredFile::write(std::uint64_t offset, std::span<std::byte const> bytes) {
    return move(
        bytes, offset, "written", [this](std::span<std::byte const> part, std::uint64_t at) {
            return storage_.write_at(descriptor_, part, at);
        });
}

Expected<void> StoredFile::sync() {
    if (storage_.sync(descriptor_) != 0) {
        return failure("written");
    }
    return {};
}

Expected<void> StoredFile::sync_folder(Storage& storage, std::filesystem::path const& folder) {
    KEYSWAP_TRY(auto const file, open(storage, folder, Use::read));
    return file->sync();
}

Expected<void> StoredFile::resize(std::uint64_t size_bytes) {
    if (storage_.resize(descriptor_, size_bytes) != 0) {
        return failure("written");
    }
    return {};
}

Expected<FileIdentity> identity_of(std::filesystem::path const& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return tl::unexpected(InputError{path.string(),
                                         std::string("cannot be read: ") + std::strerror(errno),
                                         "check that it exists and that you may read it"});
    }
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    std::error_code error;
    auto const absolute = std::filesystem::absolute(path, error);
    if (!S_ISREG(status.st_mode)) {
        return FileIdentity{absolute.string(), 0, 0, status.st_ino};
    }
    return FileIdentity{absolute.string(),
                        static_cast<std::uint64_t>(status.st_size),
                        status.st_mtim.tv_sec * ns_per_s + status.st_mtim.tv_nsec,
                        status.st_ino};
}

} // namespace keyswap::tools
