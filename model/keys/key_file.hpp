#pragma once

/// \file Files of keys: raw little-endian words, NumPy `.npy`, or a column of CSV, read and written
/// in blocks. What is read may be compressed (opened_key_bytes). The 16 bytes of a b128 key stand
/// in the order in which they are compared; `.npy` calls them S16, and has no type for other keys
/// of 128 bits.

#include "model/keys/key_file_options.hpp"
#include "model/keys/key_file_reader.hpp"
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

/// Whether files hold the bytes of such keys the other way round than memory does.
[[nodiscard]] constexpr bool is_big_endian_in_files(KeyType type) {
    return kind_of(type) == KeyKind::bytes;
}
/// Exchanges memory's byte order and that of files, in place. \pre whole keys
void swap_key_bytes(KeyType type, std::span<std::byte> keys);

/// Opens a file of keys; sizes and headers that cannot be right are refused here.
[[nodiscard]] Expected<std::unique_ptr<KeyFileReader>>
open_key_file(std::filesystem::path const& path, KeyFileOptions const& options);

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

/// The format of a file that is written: `given`, or by its name.
/// \return an error if its name promises a compression, or a format that is not written and was not
/// asked for
[[nodiscard]] Expected<KeyFileFormat> format_to_write(std::filesystem::path const& path,
                                                      std::optional<KeyFileFormat> given);

/// Fails before any work is done where the path could not be written.
/// \param format none: by the file's name
[[nodiscard]] Expected<std::unique_ptr<KeyFileWriter>> create_key_file(
    std::filesystem::path const& path, std::optional<KeyFileFormat> format, KeyType key_type);

} // namespace keyswap::model
