#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/format/publication.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace keyswap {

/// A file that appears under its name only when it is complete. Bytes go to a file in the same
/// folder, unnamed where the file system allows it (so that nothing is left even when the program
/// is killed), and commit() names it. Until then an older file of that name is unchanged; the
/// new one takes over its mode, and its owner where the user may give files away. While a
/// Publication is active, it names all files, and says whether older ones may be replaced.
/// Devices, pipes and standard output ("-") are written directly.
class AtomicFile {
  public:
    /// Fails before any work is done where the path could not be written.
    [[nodiscard]] static Expected<AtomicFile> create(std::filesystem::path const& path);

    /// Appends bytes.
    [[nodiscard]] Expected<void> write(std::span<char const> bytes);
    /// Overwrites bytes that were written before. \pre a regular file
    [[nodiscard]] Expected<void> write_at(std::uint64_t offset, std::span<char const> bytes);
    /// Gives the file its name, or leaves that to the active Publication; nothing may be written
    /// afterwards.
    [[nodiscard]] Expected<void> commit();

    /// False for devices and pipes, where write_at() is impossible.
    [[nodiscard]] bool seekable() const { return !direct_; }
    /// As the user gave it.
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  private:
    explicit AtomicFile(std::filesystem::path path);
    [[nodiscard]] Expected<void> open_direct();
    [[nodiscard]] Expected<void> open_hidden();
    [[nodiscard]] InputError failure(std::string const& action, int error_number) const;

    std::filesystem::path path_;
    StagedFile staged_; ///< of a direct file the descriptor alone
    bool direct_ = false;
};

/// "-", "/dev/stdout" and the other names of descriptor 1, which need no opening. Were it a regular
/// file, a new one would take its place, and all that is printed would be lost.
[[nodiscard]] bool is_standard_output(std::filesystem::path const& path);

/// Writes a file that appears when all of it could be written.
[[nodiscard]] Expected<void> write_whole_file(std::filesystem::path const& path,
                                              std::string_view text);

} // namespace keyswap
