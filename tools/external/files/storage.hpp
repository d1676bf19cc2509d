#pragma once

/// \file Files of an external sort. Every operation that may fail goes through a Storage, which
/// tests replace by a failing one.

#include "traces/errors/input_error.hpp"
#include "traces/format/descriptor.hpp"
#include "traces/format/publication.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>

namespace keyswap::tools {

/// System calls with their usual results: negative on failure, with the reason in errno.
class Storage {
  public:
    virtual ~Storage() = default;
    virtual int open(std::filesystem::path const& path, int flags);
    virtual ssize_t read_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset);
    virtual ssize_t
    write_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset);
    virtual int sync(int descriptor);
    virtual int resize(int descriptor, std::uint64_t size_bytes);
    /// True for tmpfs: concurrent write() calls to one of its files serialize on the file's lock,
    /// but stores to its mapped pages do not.
    virtual bool is_in_memory(int descriptor);
    /// As write_at(), through mapped pages of a file in memory, which it allocates first. May write
    /// fewer bytes.
    virtual ssize_t copy_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset);
    virtual int remove(std::filesystem::path const& path);
    /// \return 0, or the errno value
    virtual int
    rename(std::filesystem::path const& from, std::filesystem::path const& to, Existing existing);
    /// Free bytes available to unprivileged users; nullopt if statvfs() fails.
    virtual std::optional<std::uint64_t> free_bytes(std::filesystem::path const& folder);
};

/// An open file, usable by any number of threads; closed by the destructor. Large accesses bypass
/// the page cache (O_DIRECT) and so save a copy, if the file system supports that and the buffer
/// has the same offset within a page as the bytes in the file.
class StoredFile {
  public:
    enum class Use {
        read,
        create,
        update,
        share ///< concurrent updates by several threads
    };
    static constexpr std::size_t page_bytes = 4096; ///< memory page; no disk sector is larger

    [[nodiscard]] static Expected<std::shared_ptr<StoredFile>>
    open(Storage& storage, std::filesystem::path const& path, Use use);
    StoredFile(Storage& storage, std::filesystem::path path, Use use, Descriptor descriptor);

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return descriptor_.number(); }
    /// Part of a buffer from take_movable() that allows direct access at a file offset.
    [[nodiscard]] static std::span<std::byte>
    place_for(std::uint64_t offset, std::span<std::byte> buffer, std::size_t size_bytes) {
        return buffer.subspan(offset % page_bytes, size_bytes);
    }
    /// Fills `bytes`; an error if the file ends early.
    [[nodiscard]] Expected<void> read(std::uint64_t offset, std::span<std::byte> bytes);
    [[nodiscard]] Expected<void> write(std::uint64_t offset, std::span<std::byte const> bytes);
    /// Reserves disk blocks for the next writes: direct writes to allocated blocks run
    /// concurrently. Best effort, errors ignored.
    void allocate(std::uint64_t offset, std::uint64_t size_bytes) const;
    /// Drops bytes from the page cache that will not be read again soon.
    void forget(std::uint64_t offset, std::uint64_t size_bytes) const;
    /// Syncs all written data to disk.
    [[nodiscard]] Expected<void> sync();
    /// Syncs the entries of a folder to disk.
    [[nodiscard]] static Expected<void> sync_folder(Storage& storage,
                                                    std::filesystem::path const& folder);
    [[nodiscard]] Expected<void> resize(std::uint64_t size_bytes);

  private:
    /// Reads or writes all bytes, split into direct and cached accesses.
    /// \param access (descriptor, bytes, offset) -> byte count, as in Storage
    /// \param action past participle for error messages: "read", "written"
    template <class Byte, class Access>
    [[nodiscard]] Expected<void>
    move(std::span<Byte> bytes, std::uint64_t offset, char const* action, Access const& access);
    /// Descriptor and size of the next access.
    struct Step {
        int descriptor;
        std::size_t size_bytes;
    };
    [[nodiscard]] Step step_of(std::uint64_t offset, std::span<std::byte const> bytes);
    /// Descriptor for direct access, opened at the first call; -1 if unavailable.
    [[nodiscard]] int direct();
    [[nodiscard]] tl::unexpected<InputError> failure(std::string const& action) const;

    Storage& storage_;
    std::filesystem::path path_;
    Use use_;
    Descriptor descriptor_;
    bool copies_; ///< writes through mapped pages (file in memory)
    std::once_flag direct_opened_;
    Descriptor direct_;                     ///< opened with O_DIRECT
    std::atomic<bool> direct_fails_{false}; ///< a direct access failed with EINVAL
};

/// Identifies the content of a file, to detect changes when a sort is continued.
struct FileIdentity {
    std::string path;             ///< absolute
    std::uint64_t size_bytes = 0; ///< 0 for pipes, whose size changes as they are read
    std::int64_t modified_ns = 0; ///< 0 for pipes
    std::uint64_t inode = 0;
    friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};
[[nodiscard]] Expected<FileIdentity> identity_of(std::filesystem::path const& path);

} // namespace keyswap::tools
