#pragma once

/// \file What a file is by its first bytes, so that no other program's file is read as raw keys.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

/// First bytes that the functions below should see, or the whole file if it is shorter.
inline constexpr std::size_t file_beginning_bytes = 4096;

/// What is wanted of a file.
enum class FileContent { keys, rows };

/// A format that is not read.
struct ForeignFormat {
    std::string name;   ///< "Parquet"
    std::string remedy; ///< how to get the keys out of it, or a table's rows
};

/// The format of a file of another program; `nullopt` if the bytes can only be keys or text.
/// \param path named in the remedy
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::string_view beginning,
                                                          std::filesystem::path const& path,
                                                          FileContent wanted = FileContent::keys);

/// What is in files of other programs that have such names.
/// \param ending in small letters, with its point
[[nodiscard]] std::optional<ForeignFormat> foreign_name(std::string_view ending,
                                                        FileContent wanted = FileContent::keys);

/// Whether all bytes are characters of a UTF-8 text, its last one cut off or not. False without
/// bytes.
[[nodiscard]] bool is_text(std::string_view beginning);

/// Whether the bytes are text of 16 or 32 bits a character: by a byte order mark and zeros in it,
/// or because they are rows of ASCII with a zero next to each character.
[[nodiscard]] bool is_wide_text(std::string_view beginning);

} // namespace keyswap::model
