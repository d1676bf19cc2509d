#pragma once

/// \file Files of one run of `record`, which no other run and no other file of the user shares.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::conformance {

/// A new folder in another one, which is made where it is missing. Removed with all that is in it,
/// unless it is kept; a folder that was made for it goes too where nothing else came into it.
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
    std::optional<std::filesystem::path> made_; ///< the parent, where it was made here
    bool kept_ = false;
};

/// The path of a folder as text that shells, quotes and programs take for nothing but a name: its
/// own, or where that has other characters than letters, digits and "/._-", that of a link to it.
class PlainName {
  public:
    [[nodiscard]] static Expected<PlainName> of(std::filesystem::path const& folder);
    PlainName(PlainName&& other) noexcept;
    PlainName& operator=(PlainName&&) = delete;
    ~PlainName();

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    /// The folder of the link, where there is one.
    [[nodiscard]] std::filesystem::path const& link_folder() const { return link_folder_; }

  private:
    PlainName() = default;
    std::filesystem::path path_;
    std::filesystem::path link_folder_;
};

/// Removes a folder in which others may have made folders that cannot be written to.
void remove_folder(std::filesystem::path const& folder);

/// Writes a new file. \return an error where not all of it could be written
[[nodiscard]] Expected<void> write_new_file(std::filesystem::path const& path,
                                            std::span<std::byte const> bytes);

/// The size of a regular file; an error for links, pipes, devices and what is not there.
[[nodiscard]] Expected<std::uint64_t> regular_file_size(std::filesystem::path const& path);

/// The bytes of a regular file that has just this many.
[[nodiscard]] Expected<std::vector<std::byte>> read_regular_file(std::filesystem::path const& path,
                                                                 std::uint64_t size_bytes);

} // namespace keyswap::conformance
