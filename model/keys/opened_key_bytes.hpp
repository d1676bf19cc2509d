#pragma once

/// \file How a file of keys is opened: what it is by its name and its first bytes, and
/// decompressed.

#include "model/keys/file_content.hpp"
#include "model/keys/key_file_format.hpp"
#include "traces/format/byte_source.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace keyswap::model {

/// A file's content from its beginning.
struct OpenedKeyBytes {
    std::unique_ptr<ByteSource> bytes; ///< decompressed
    KeyFileFormat format = KeyFileFormat::raw;
    bool as_stored = true; ///< false: the file holds them compressed
};

/// Opens a file of keys. Where `format` is given, it is that; else the first bytes say so for NumPy
/// arrays, and the name for others. What gzip or zstd compressed is decompressed, whatever its
/// name, but for a file that the caller calls raw, which is compressed only if its name ends so.
/// Files of other programs, such as Parquet and HDF5, are refused by their name, and text whose
/// name does not say that it is: only what `format` calls raw is taken for keys as it is. \param
/// wanted what remedies are about
[[nodiscard]] Expected<OpenedKeyBytes> open_key_bytes(std::filesystem::path const& path,
                                                      std::optional<KeyFileFormat> format,
                                                      FileContent wanted = FileContent::keys);

} // namespace keyswap::model
