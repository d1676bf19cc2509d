#pragma once

/// \file Files that an external sort works on. All that may fail passes through a Storage, which
/// tests replace by one that fails.

#include "traces/errors/input_error.hpp"
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

/// Large reads, or writes, at once. Of 8 MiB each: measured with 1, 2 and 16, direct, on a virtual
/// disk: 1.0, 1.4 and 1.8 GB/s read, 1.3, 1.8 and 3.0 written.
inline constexpr unsigned storage_accesses = 8;

/// The system's calls, with its results: below 0 on failure, the reason in errno.
class Storage {
  public:
    virtual ~Storage() = default;
    virtual int open(std::filesystem::path const& path, int flags);
    virtual ssize_t read_at(int descriptor, std::span<std::byte> bytes, std::uint64_t offset);
    virtual ssize_t
    write_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset);
    virtual int sync(int descriptor);
    virtual int resize(int descriptor, std::uint64_t size_bytes);
    /// Whether the file system is memory: several threads that write one of its files wait for each
    /// other, unless they write to its pages.
    virtual bool is_in_memory(int descriptor);
    /// As write_at(), to the pages of a file in memory, which are allocated first. It may write a
    /// part.
    virtual ssize_t copy_at(int descriptor, std::span<std::byte const> bytes, std::uint64_t offset);
    virtual int remove(std::filesystem::path const& path);
    /// \return the number of the error, or 0
    virtual int
    rename(std::filesystem::path const& from, std::filesystem::path const& to, Existing existing);
    /// Bytes that a user may still write; nullopt if that is not known.
    virtual std::optional<std::uint64_t> free_bytes(std::filesystem::path const& folder);
};

/// An open file, for any number of threads; closed at the end. Large accesses pass by the page
/// cache (O_DIRECT), which would copy every byte once more, where the file system has that and the
/// bytes lie in memory as far behind the start of a page as in the file.
class StoredFile {
  public:
    enum class Use {
        read,
        create,
        update,
        share ///< update by several threads at once
    };
    static constexpr std::size_t page_bytes = 4096; ///< of memory; no sector of a disk is larger

    [[nodiscard]] static Expected<std::shared_ptr<StoredFile>>
    open(Storage& storage, std::filesystem::path const& path, Use use);
    StoredFile(Storage& storage, std::filesystem::path path, Use use, int descriptor);
    StoredFile(StoredFile const&) = delete;
    StoredFile& operator=(StoredFile const&) = delete;
    ~StoredFile();

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// The part of a movable buffer in which bytes from an offset on may be moved directly.
    [[nodiscard]] static std::span<std::byte>
    place_for(std::uint64_t offset, std::span<std::byte> buffer, std::size_t size_bytes) {
        return buffer.subspan(offset % page_bytes, size_bytes);
    }
    /// Fills `bytes`; an error if the file ends before.
    [[nodiscard]] Expected<void> read(std::uint64_t offset, std::span<std::byte> bytes);
    [[nodiscard]] Expected<void> write(std::uint64_t offset, std::span<std::byte const> bytes);
    /// These bytes are written next: direct writes to places that are allocated need not wait for
    /// each other. It may be refused.
    void allocate(std::uint64_t offset, std::uint64_t size_bytes) const;
    /// These bytes are not read again soon.
    void forget(std::uint64_t offset, std::uint64_t size_bytes) const;
    /// Waits until all that was written is on the disk.
    [[nodiscard]] Expected<void> sync();
    /// The same for the names in a folder.
    [[nodiscard]] static Expected<void> sync_folder(Storage& storage,
                                                    std::filesystem::path const& folder);
    [[nodiscard]] Expected<void> resize(std::uint64_t size_bytes);

  private:
    /// Reads or writes all bytes, in parts that are direct or are not.
    /// \param access (descriptor, bytes, offset) to their number, as of Storage
    /// \param action for errors
    template <class Byte, class Access>
    [[nodiscard]] Expected<void>
    move(std::span<Byte> bytes, std::uint64_t offset, char const* action, Access const& access);
    /// How the first of some bytes are moved, and how many at once.
    struct Step {
        int descriptor;
        std::size_t size_bytes;
    };
    [[nodiscard]] Step step_of(std::uint64_t offset, std::span<std::byte const> bytes);
    /// The descriptor for direct accesses, opened by the first of them; -1 if there is none.
    [[nodiscard]] int direct();
    [[nodiscard]] tl::unexpected<InputError> failure(std::string const& action) const;

    Storage& storage_;
    std::filesystem::path path_;
    Use use_;
    int descriptor_;
    bool copies_; ///< to the pages of a file in memory
    std::once_flag direct_opened_;
    std::atomic<int> direct_{-1};           ///< a second descriptor
    std::atomic<bool> direct_fails_{false}; ///< its sectors are larger
};

/// What identifies the content of a file that is read again after an interruption.
struct FileIdentity {
    std::string path;             ///< absolute
    std::uint64_t size_bytes = 0; ///< 0 of pipes, which change by being read
    std::int64_t modified_ns = 0; ///< likewise
    std::uint64_t inode = 0;
    friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};
[[nodiscard]] Expected<FileIdentity> identity_of(std::filesystem::path const& path);

} // namespace keyswap::tools
