#pragma once

/// \file File formats of keys and how file names map to them.

#include "traces/errors/input_error.hpp"
#include "traces/format/open_bytes.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class KeyFileFormat { raw, npy, csv };

/// "raw", "npy" or "csv".
[[nodiscard]] std::string_view to_string(KeyFileFormat format);
/// The inverse of to_string(); nullopt for "auto", the format given by format_of_name().
[[nodiscard]] Expected<std::optional<KeyFileFormat>> parse_key_file_format(std::string_view text);
/// Format by ending, ignoring case: ".npy", a text ending such as ".csv" or ".tsv", else raw. A
/// trailing ".gz", ".gzip", ".zst" or ".zstd" is ignored.
[[nodiscard]] KeyFileFormat format_of_name(std::filesystem::path const& path);

/// The compression given by the name's ending; Compression::none for other endings.
[[nodiscard]] Compression compression_of_name(std::filesystem::path const& path);
/// The name without its compression's ending: "keys.npy" of "keys.npy.gz".
[[nodiscard]] std::filesystem::path uncompressed_name(std::filesystem::path const& path);
/// \return an error if the name has a compression's ending, since output is never compressed
[[nodiscard]] Expected<void> refuse_compressed_name(std::filesystem::path const& path);

/// The ending in lower case with its dot: ".csv" of "A.CSV"; empty if the name has none.
[[nodiscard]] std::string lower_ending(std::filesystem::path const& path);

} // namespace keyswap::model
