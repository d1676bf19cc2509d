#pragma once

/// \file Files of keys: raw little-endian words, NumPy `.npy`, or a column of CSV, read and written
/// in blocks. What is read may be compressed (opened_key_bytes). The 16 bytes of a b128 key stand
/// in the order in which they are compared; `.npy` calls them S16, and has no type for other keys
/// of 128 bits.

#include "model/keys/narrow_type.hpp"
#include "model/keys/npy_header.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/format/byte_source.hpp"
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

enum class KeyFileFormat { raw, npy, csv };

/// "raw", "npy" or "csv".
[[nodiscard]] std::string_view to_string(KeyFileFormat format);
/// The inverse; nothing for "auto", which stands for format_of_name().
[[nodiscard]] Expected<std::optional<KeyFileFormat>> parse_key_file_format(std::string_view text);
/// Whether files hold the bytes of such keys the other way round than memory does.
[[nodiscard]] constexpr bool is_big_endian_in_files(KeyType type) {
    return type == KeyType::b128;
}
/// Exchanges memory's byte order and that of files, in place. \pre whole keys
void swap_key_bytes(KeyType type, std::span<std::byte> keys);
/// By the name's ending, in letters of either case: ".npy", one of text such as ".csv" and ".tsv",
/// else raw. An ending ".gz", ".gzip", ".zst" or ".zstd" after it says nothing.
[[nodiscard]] KeyFileFormat format_of_name(std::filesystem::path const& path);

/// What a user says of a file of keys.
struct KeyFileOptions {
    std::optional<KeyFileFormat> format; ///< none: by the file's name
    std::optional<KeyType> key_type;     ///< needed for raw and CSV; an .npy file must agree
    std::optional<std::string> column = std::nullopt; ///< of CSV: its number from 1 on, or heading
    /// Of keys of 8 or 16 bits, for which key_type is its widened_type().
    std::optional<NarrowType> narrow_type = std::nullopt;
    /// What else has key_type, such as "the keys of a.npy", where it is not what the user gave as
    /// --type.
    std::optional<std::string> type_of = std::nullopt;
    /// The column may be missing where a file has one column only, or none as .npy.
    bool column_if_several = false;
    bool is_part = false; ///< of several files, each of which may be nothing but a heading
    /// Numbers that count or point: an .npy file may hold them with or without a sign, in 32 or 64
    /// bits, whatever key_type is.
    bool are_indices = false;
};

/// Keys of a file from front to back.
class KeyFileReader {
  public:
    virtual ~KeyFileReader() = default;
    [[nodiscard]] virtual KeyType key_type() const = 0;
    /// What the file has, where its keys were widened to key_type().
    [[nodiscard]] virtual std::optional<NarrowType> narrow_type() const { return std::nullopt; }
    /// Nothing where only reading tells, as for CSV and pipes.
    [[nodiscard]] virtual std::optional<std::uint64_t> key_count() const = 0;
    /// Fills the front of `block` with whole keys in this machine's byte order and returns how many
    /// keys that are: fewer than fit only at the end, then 0. \pre at least one key fits
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<std::byte> block) = 0;
    /// Where in the file the keys lie just as read() gives them; nothing where they do not, or
    /// where the file can be read only once.
    [[nodiscard]] virtual std::optional<std::uint64_t> file_offset_bytes() const {
        return std::nullopt;
    }
    /// The heading of a CSV file that was passed over, once something was read.
    [[nodiscard]] virtual std::optional<std::string> heading() const { return std::nullopt; }
    /// Columns of a CSV file that were not read, once something was read.
    [[nodiscard]] virtual std::size_t other_columns() const { return 0; }
};

/// "u16" where keys are narrow, else the key type's name.
[[nodiscard]] std::string_view stored_type_name(KeyType type, std::optional<NarrowType> narrow);

/// Opens a file of keys; sizes and headers that cannot be right are refused here.
[[nodiscard]] Expected<std::unique_ptr<KeyFileReader>>
open_key_file(std::filesystem::path const& path, KeyFileOptions const& options);

/// A column of a CSV file, its heading passed over. One that is nothing but a heading is refused,
/// as it may be a key that was taken for one. \param name what errors are about \param column as in
/// KeyFileOptions; without it the file may have one column only
[[nodiscard]] std::unique_ptr<KeyFileReader>
read_csv_keys(std::unique_ptr<ByteSource> bytes,
              std::string name,
              KeyType key_type,
              std::optional<std::string> column = std::nullopt);

/// What an .npy file says of itself and where its keys begin.
struct NpyFileHeader {
    NpyHeader content;
    std::uint64_t size_bytes = 0;
};
/// Reads the text of a header for parse_npy_array(), and leaves the source at the first element.
[[nodiscard]] Expected<std::string> read_npy_header_text(ByteSource& bytes,
                                                         std::string const& name);
/// The same, understood as that of keys.
[[nodiscard]] Expected<NpyFileHeader> read_npy_header(ByteSource& bytes, std::string const& name);

/// Takes keys from front to back. The file appears under its name when finish() succeeds.
class KeyFileWriter {
  public:
    virtual ~KeyFileWriter() = default;
    /// \pre a whole number of keys
    [[nodiscard]] virtual Expected<void> write(std::span<std::byte const> keys) = 0;
    [[nodiscard]] virtual Expected<void> finish() = 0;
};

/// Fails before any work is done where the path could not be written.
/// \param format none: by the file's name
[[nodiscard]] Expected<std::unique_ptr<KeyFileWriter>> create_key_file(
    std::filesystem::path const& path, std::optional<KeyFileFormat> format, KeyType key_type);

} // namespace keyswap::model
