#pragma once

/// \file Detects a file's format by its first bytes, so that no unsupported format is read as raw
/// keys.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

/// Bytes at the start of a file that the functions below need; shorter files are passed whole.
inline constexpr std::size_t file_beginning_bytes = 4096;

/// What the caller wants to read from a file.
enum class FileContent { keys, rows };

/// A format that this program cannot read.
struct UnsupportedFormat {
    std::string name;   ///< "Parquet"
    std::string remedy; ///< how to extract its keys, or the rows of its table
};

/// The unsupported format of a file; `nullopt` if the bytes can only be keys or text.
/// \param path named in the remedy
[[nodiscard]] std::optional<UnsupportedFormat>
unsupported_format(std::string_view beginning,
                   std::filesystem::path const& path,
                   FileContent wanted = FileContent::keys);

/// The unsupported format that a file name's ending stands for; `nullopt` if it stands for none.
/// \param ending in lower case, with its dot
[[nodiscard]] std::optional<UnsupportedFormat>
unsupported_extension(std::string_view ending, FileContent wanted = FileContent::keys);

/// True if all bytes are valid UTF-8 text, apart from a last character that may be cut off. False
/// if empty.
[[nodiscard]] bool is_text(std::string_view beginning);

/// True if the bytes are text of 16 or 32 bits per character: a byte order mark followed by mostly
/// ASCII characters, or rows of ASCII with a zero next to each character.
[[nodiscard]] bool is_wide_text(std::string_view beginning);

} // namespace keyswap::model
