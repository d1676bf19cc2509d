#pragma once

/// \file Files of one run of `record`, not shared with other runs or the user's files.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::conformance {

/// A new folder, created in a parent that is also created if missing. The destructor removes it
/// with its content, unless kept, and removes a created parent if it is empty.
class PrivateFolder {
  public:
    /// \param parent absolute
    [[nodiscard]] static Expected<PrivateFolder> make(std::filesystem::path const& parent);
    PrivateFolder(PrivateFolder&& other) noexcept;
    PrivateFolder& operator=(PrivateFolder&&) = delete;
    ~PrivateFolder();

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    void keep() { kept_ = true; }

  private:
    PrivateFolder() = default;
    std::filesystem::path path_;                ///< empty once moved from
    std::optional<std::filesystem::path> made_; ///< the parent, if created here
    bool kept_ = false;
};

/// Path of a folder that needs no quoting in a shell or program: its own, or, if that has
/// characters other than letters, digits and "/._-", the path of a symbolic link to it.
class UnquotedPath {
  public:
    [[nodiscard]] static Expected<UnquotedPath> of(std::filesystem::path const& folder);
    UnquotedPath(UnquotedPath&& other) noexcept;
    UnquotedPath& operator=(UnquotedPath&&) = delete;
    ~UnquotedPath();

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    /// Temporary folder of the link; empty if there is no link.
    [[nodiscard]] std::filesystem::path const& link_folder() const { return link_folder_; }

  private:
    UnquotedPath() = default;
    std::filesystem::path path_;
    std::filesystem::path link_folder_;
};

/// Removes a folder, including subfolders without write permission.
void remove_folder(std::filesystem::path const& folder);

/// Writes a new file. \return an error if it exists or cannot be written completely
[[nodiscard]] Expected<void> write_new_file(std::filesystem::path const& path,
                                            std::span<std::byte const> bytes);

/// Size of a regular file; an error for links, pipes, devices and missing files.
[[nodiscard]] Expected<std::uint64_t> regular_file_size(std::filesystem::path const& path);

/// Content of a regular file; an error if its size differs from `size_bytes`.
[[nodiscard]] Expected<std::vector<std::byte>> read_regular_file(std::filesystem::path const& path,
                                                                 std::uint64_t size_bytes);

} // namespace keyswap::conformance
