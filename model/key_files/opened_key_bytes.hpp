#pragma once

/// \file Opens a file of keys: detects its format by name and first bytes, and decompresses its
/// content.

#include "model/key_files/file_content.hpp"
#include "model/key_files/key_file_format.hpp"
#include "traces/format/open_bytes.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace keyswap::model {

/// A file's decompressed content, from its beginning.
struct OpenedKeyBytes {
    std::unique_ptr<ByteSource> bytes; ///< decompressed content
    KeyFileFormat format = KeyFileFormat::raw;
    bool as_stored = true; ///< false if the file is compressed
};

/// Opens a file of keys. The format is `format` if given; else NumPy arrays are detected by their
/// first bytes, other formats by the name. gzip and zstd are decompressed whatever the name, except
/// that with `format` raw only a name with such an ending is decompressed. Refuses files of other
/// programs, such as Parquet and HDF5, and text whose name does not stand for text; with `format`
/// raw, any bytes are accepted.
/// \param wanted keys or rows, for the remedies of errors
[[nodiscard]] Expected<OpenedKeyBytes> open_key_bytes(std::filesystem::path const& path,
                                                      std::optional<KeyFileFormat> format,
                                                      FileContent wanted = FileContent::keys);

} // namespace keyswap::model
