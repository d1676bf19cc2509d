#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/format/publication.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace keyswap {

/// A file that appears under its name only once it is complete. Bytes go to a file in the same
/// folder, which is unnamed if the file system supports that (so that a killed program leaves
/// nothing behind); commit() names it. Until then an existing file of that name is unchanged; the
/// new file inherits its mode, and its owner if permitted. An active Publication defers the naming
/// of all files and decides whether existing ones may be replaced.
/// Devices, pipes and standard output ("-") are written directly.
class AtomicFile {
  public:
    /// Opens the file; fails early, before any work, if the path cannot be written.
    [[nodiscard]] static Expected<AtomicFile> create(std::filesystem::path const& path);

    /// Appends all bytes; retries partial writes.
    [[nodiscard]] Expected<void> write(std::span<char const> bytes);
    /// Overwrites bytes at `offset`. \pre seekable()
    [[nodiscard]] Expected<void> write_at(std::uint64_t offset, std::span<char const> bytes);
    /// Names the file, or leaves that to the active Publication. No write may follow; errors of
    /// delayed writes on a network file system are reported here.
    [[nodiscard]] Expected<void> commit();

    /// False for devices and pipes, where write_at() is impossible.
    [[nodiscard]] bool seekable() const { return !direct_; }
    /// As passed to create().
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    explicit AtomicFile(std::filesystem::path path);
    [[nodiscard]] Expected<void> open_direct();
    [[nodiscard]] Expected<void> open_hidden();
    [[nodiscard]] Expected<void> written(int error_number) const;
    [[nodiscard]] InputError failure(std::string const& action, int error_number) const;

    std::filesystem::path path_;
    StagedFile staged_; ///< a direct file uses only its descriptor
    bool direct_ = false;
};

/// "-", "/dev/stdout" and other names of descriptor 1, which is duplicated instead of opened: if
/// it is a regular file, replacing that file would lose everything printed.
[[nodiscard]] bool is_standard_output(std::filesystem::path const& path);

/// Writes `text` to an AtomicFile and commits it.
[[nodiscard]] Expected<void> write_whole_file(std::filesystem::path const& path,
                                              std::string_view text);

} // namespace keyswap
