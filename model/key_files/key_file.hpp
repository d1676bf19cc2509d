#pragma once

/// \file Files of keys: raw little-endian words, NumPy `.npy`, or a column of CSV, read and written
/// in blocks. Input may be compressed (opened_key_bytes). The 16 bytes of a b128 key are stored
/// most significant first, the order of comparison; `.npy` calls them S16 and has no type for other
/// 128-bit keys.

#include "model/key_files/key_file_options.hpp"
#include "model/key_files/key_file_reader.hpp"
#include "model/key_files/npy_header.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/records/key_type.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::model {

/// True if files store keys of this type big-endian, unlike memory (only kind `bytes`).
[[nodiscard]] constexpr bool is_big_endian_in_files(KeyType type) {
    return kind_of(type) == KeyKind::bytes;
}
/// Converts keys between the byte orders of memory and files, in place. \pre whole keys
void swap_key_bytes(KeyType type, std::span<std::byte> keys);

/// Opens a file of keys; returns an error for an impossible size or an invalid header.
[[nodiscard]] Expected<std::unique_ptr<KeyFileReader>>
open_key_file(std::filesystem::path const& path, KeyFileOptions const& options);

/// Reads the header text for parse_npy_header() or parse_npy_array() and leaves the source at the
/// first element.
[[nodiscard]] Expected<std::string> read_npy_header_text(ByteSource& bytes,
                                                         std::string const& name);

/// Writes keys in order. The file appears under its name only when finish() succeeds.
class KeyFileWriter {
  public:
    virtual ~KeyFileWriter() = default;
    /// \pre a whole number of keys
    [[nodiscard]] virtual Expected<void> write(std::span<std::byte const> keys) = 0;
    [[nodiscard]] virtual Expected<void> finish() = 0;
};

/// Format of an output file: `given`, or derived from the name.
/// \return an error if the name has a compression's ending, or an unsupported format's while
/// `given` is absent
[[nodiscard]] Expected<KeyFileFormat> format_to_write(std::filesystem::path const& path,
                                                      std::optional<KeyFileFormat> given);

/// Opens a file for writing; fails early, before any keys are sorted, if the path is not writable.
/// \param format derived from the file's name if absent
[[nodiscard]] Expected<std::unique_ptr<KeyFileWriter>> create_key_file(
    std::filesystem::path const& path, std::optional<KeyFileFormat> format, KeyType key_type);

} // namespace keyswap::model
