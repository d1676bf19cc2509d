#pragma once

/// \file The format of a file of keys, as its name has it.

#include "traces/errors/input_error.hpp"
#include "traces/format/byte_source.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class KeyFileFormat { raw, npy, csv };

/// "raw", "npy" or "csv".
[[nodiscard]] std::string_view to_string(KeyFileFormat format);
/// The inverse; nullopt for "auto", which stands for format_of_name().
[[nodiscard]] Expected<std::optional<KeyFileFormat>> parse_key_file_format(std::string_view text);
/// By the name's ending, in letters of either case: ".npy", one of text such as ".csv" and ".tsv",
/// else raw. An ending ".gz", ".gzip", ".zst" or ".zstd" after it says nothing.
[[nodiscard]] KeyFileFormat format_of_name(std::filesystem::path const& path);

/// The compression that a name's ending announces.
[[nodiscard]] Compression compression_of_name(std::filesystem::path const& path);
/// The name without an ending that says how the file is compressed: "keys.npy" of "keys.npy.gz".
[[nodiscard]] std::filesystem::path uncompressed_name(std::filesystem::path const& path);
/// \return an error if the name announces a compression, for files that are written as they are
[[nodiscard]] Expected<void> refuse_compressed_name(std::filesystem::path const& path);

/// The ending of a name in small letters: ".csv" of "A.CSV"; empty if it has none.
[[nodiscard]] std::string lower_ending(std::filesystem::path const& path);

} // namespace keyswap::model
