#include "model/key_files/key_file_format.hpp"

#include "traces/errors/known_names.hpp"
#include "traces/errors/lower_case.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>

namespace keyswap::model {

std::string_view to_string(KeyFileFormat format) {
    switch (format) {
    case KeyFileFormat::raw:
        return "raw";
    case KeyFileFormat::npy:
        return "npy";
    case KeyFileFormat::csv:
        return "csv";
    }
    return "";
}

Expected<std::optional<KeyFileFormat>> parse_key_file_format(std::string_view text) {
    if (text == "auto") {
        return std::nullopt;
    }
    KnownNames known;
    known.add("auto");
    for (KeyFileFormat const format :
         {KeyFileFormat::raw, KeyFileFormat::npy, KeyFileFormat::csv}) {
        if (to_string(format) == text) {
            return format;
        }
        known.add(to_string(format));
    }
    return known.not_known("format", text);
}

KeyFileFormat format_of_name(std::filesystem::path const& path) {
    std::string const ending = lower_ending(uncompressed_name(path));
    if (ending == ".npy") {
        return KeyFileFormat::npy;
    }
    constexpr std::array<std::string_view, 5> of_text{".csv", ".txt", ".tsv", ".tab", ".asc"};
    return std::ranges::find(of_text, ending) == of_text.end() ? KeyFileFormat::raw
                                                               : KeyFileFormat::csv;
}

Compression compression_of_name(std::filesystem::path const& path) {
    std::string const ending = lower_ending(path);
    return ending == ".gz" || ending == ".gzip"    ? Compression::gzip
           : ending == ".zst" || ending == ".zstd" ? Compression::zstd
                                                   : Compression::none;
}

std::filesystem::path uncompressed_name(std::filesystem::path const& path) {
    return compression_of_name(path) == Compression::none ? path : path.parent_path() / path.stem();
}

Expected<void> refuse_compressed_name(std::filesystem::path const& path) {
    if (compression_of_name(path) == Compression::none) {
        return {};
    }
    return input_error(path.string(),
                       "would not be compressed, despite its name",
                       "name it " + uncompressed_name(path).filename().string() +
                           " and compress it after");
}

std::string lower_ending(std::filesystem::path const& path) {
    return lower_case(path.extension().string());
}

} // namespace keyswap::model
