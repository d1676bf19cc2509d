#include "tools/external/files/storage.hpp"

#include "traces/errors/errno_remedy.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace keyswap::tools {

namespace {

constexpr mode_t new_file_mode = 0666;                         ///< modified by the umask
constexpr std::size_t mapped_bytes_max = std::size_t{1} << 18; ///< per thread, resident
constexpr std::size_t direct_bytes_min = std::size_t{1} << 16; ///< below, the page cache is faster

int flags_of(StoredFile::Use use) {
    switch (use) {
    case StoredFile::Use::read:
        return O_RDONLY;
    case StoredFile::Use::create:
        return O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW;
    case StoredFile::Use::update:
    case StoredFile::Use::share:
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

bool Storage::is_in_memory(int descriptor) {
    struct statfs status {};
    return ::fstatfs(descriptor, &status) == 0 && status.f_type == TMPFS_MAGIC;
}

ssize_t Storage::copy_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset) {
    constexpr std::size_t page = StoredFile::page_bytes;
    std::size_t const skipped = offset % page;
    auto const begin = static_cast<off_t>(offset - skipped);
    auto const some = bytes.first(std::min(bytes.size(), mapped_bytes_max - skipped));
    std::size_t const size = skipped + some.size();
    void* const pages =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, begin);
    if (pages == MAP_FAILED) {
        return -1;
    }
    // Writing to a page that cannot be allocated would raise SIGBUS. Kernels before 5.14 lack
    // MADV_POPULATE_WRITE; fallocate() reports the reason, but locks the file.
    bool const allocated = ::madvise(pages, size, MADV_POPULATE_WRITE) == 0 ||
                           ::fallocate(descriptor, 0, begin, static_cast<off_t>(size)) == 0;
    int const error = errno;
    if (allocated) {
        std::memcpy(static_cast<std::byte*>(pages) + skipped, some.data(), some.size());
    }
    ::munmap(pages, size);
    errno = error;
    return allocated ? static_cast<ssize_t>(some.size()) : -1;
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

StoredFile::StoredFile(Storage& storage, std::filesystem::path path, Use use, Descriptor descriptor)
    : storage_(storage), path_(std::move(path)), use_(use), descriptor_(std::move(descriptor)),
      copies_(use == Use::share && storage.is_in_memory(descriptor_.number())) {}

tl::unexpected<InputError> StoredFile::failure(std::string const& action) const {
    int const error = errno;
    bool const full = error == ENOSPC || error == EDQUOT;
    std::string const remedy = full             ? "free some space"
                               : error == EFBIG ? "raise the limit of file sizes (ulimit -f)"
                                                : "check the disk";
    return input_error(path_.string(),
                       "cannot be " + action + ": " + std::strerror(error),
                       remedy + ", then run the same command again: it continues");
}

Expected<std::shared_ptr<StoredFile>>
StoredFile::open(Storage& storage, std::filesystem::path const& path, Use use) {
    Descriptor descriptor(storage.open(path, flags_of(use)));
    if (!descriptor.is_open()) {
        int const error = errno;
        return input_error(
            path.string(),
            std::string("cannot be ") + (use == Use::read ? "read: " : "written: ") +
                std::strerror(error),
            errno_remedy(error,
                         use == Use::read
                             ? "check that it exists and that you may read it"
                             : "choose a path in an existing folder that you may write to"));
    }
    return std::make_shared<StoredFile>(storage, path, use, std::move(descriptor));
}

int StoredFile::direct() {
    std::call_once(direct_opened_, [this] {
        int const flags = use_ == Use::read ? O_RDONLY : O_RDWR;
        direct_ = Descriptor(storage_.open(path_, flags | O_DIRECT));
    });
    return direct_fails_ ? -1 : direct_.number();
}

StoredFile::Step StoredFile::step_of(std::uint64_t offset, std::span<std::byte const> bytes) {
    std::size_t const before = offset % page_bytes; // offset in the first page
    std::size_t const head = before == 0 ? 0 : page_bytes - before;
    bool const alike = reinterpret_cast<std::uintptr_t>(bytes.data()) % page_bytes == before;
    if (!alike || bytes.size() < head + direct_bytes_min || direct() < 0) {
        return {descriptor(), bytes.size()};
    }
    return head == 0 ? Step{direct_.number(), bytes.size() / page_bytes * page_bytes}
                     : Step{descriptor(), head};
}

template <class Byte, class Access>
Expected<void> StoredFile::move(std::span<Byte> bytes,
                                std::uint64_t offset,
                                char const* action,
                                Access const& access) {
    while (!bytes.empty()) {
        auto const [descriptor, size_bytes] = step_of(offset, bytes);
        ssize_t const count = access(descriptor, bytes.first(size_bytes), offset);
        if (count < 0 && errno == EINVAL && descriptor != this->descriptor()) {
            direct_fails_ = true;
            continue;
        }
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 || (count == 0 && std::is_const_v<Byte>)) {
            return failure(action);
        }
        if (count == 0) {
            return input_error(path_.string(),
                               "ends before byte " + grouped_count(offset + bytes.size()),
                               "it was shortened; do not change files of a sort "
                               "that is running or interrupted");
        }
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
}

Expected<void> StoredFile::read(std::uint64_t offset, std::span<std::byte> bytes) {
    return move(
        bytes, offset, "read", [this](int descriptor, std::span<std::byte> part, std::uint64_t at) {
            return storage_.read_at(descriptor, part, at);
        });
}

Expected<void> StoredFile::write(std::uint64_t offset, std::span<std::byte const> bytes) {
    bool const copies = copies_ && bytes.size() >= direct_bytes_min;
    return move(bytes,
                offset,
                "written",
                [&](int descriptor, std::span<std::byte const> part, std::uint64_t at) {
                    return copies ? storage_.copy_at(descriptor, part, at)
                                  : storage_.write_at(descriptor, part, at);
                });
}

void StoredFile::allocate(std::uint64_t offset, std::uint64_t size_bytes) const {
    if (!copies_) {
        ::fallocate(descriptor(), 0, static_cast<off_t>(offset), static_cast<off_t>(size_bytes));
    }
}

void StoredFile::forget(std::uint64_t offset, std::uint64_t size_bytes) const {
    ::posix_fadvise(descriptor(),
                    static_cast<off_t>(offset),
                    static_cast<off_t>(size_bytes),
                    POSIX_FADV_DONTNEED);
}

Expected<void> StoredFile::sync() {
    if (storage_.sync(descriptor()) != 0) {
        return failure("written");
    }
    return {};
}

Expected<void> StoredFile::sync_folder(Storage& storage, std::filesystem::path const& folder) {
    KEYSWAP_TRY(auto const file, open(storage, folder, Use::read));
    return file->sync();
}

Expected<void> StoredFile::resize(std::uint64_t size_bytes) {
    if (storage_.resize(descriptor(), size_bytes) != 0) {
        return failure("written");
    }
    return {};
}

Expected<FileIdentity> identity_of(std::filesystem::path const& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return input_error(path.string(),
                           std::string("cannot be read: ") + std::strerror(errno),
                           "check that it exists and that you may read it");
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
