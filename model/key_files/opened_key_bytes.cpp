#include "model/key_files/opened_key_bytes.hpp"

#include "model/key_files/narrow_type.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::string_view npy_mark = "\x93NUMPY";

/// True if the name ends in .raw, .bin or a key type's name. Such files are checked less strictly
/// for text than files with other names.
bool has_raw_ending(std::filesystem::path const& path) {
    std::string const ending = lower_ending(uncompressed_name(path));
    constexpr std::array others{"raw", "bin", "fp16", "fp32", "fp64"};
    std::string_view const name = std::string_view(ending).substr(ending.empty() ? 0 : 1);
    return !name.empty() &&
           (std::ranges::find(others, name) != others.end() || parse_key_type(name) ||
            std::ranges::any_of(narrow_traits, [name](NarrowTraits const& row) {
                return row.name == name || row.published_name == name;
            }));
}

InputError not_compressed(std::filesystem::path const& path, Compression found, bool is_empty) {
    std::string const plain = uncompressed_name(path).filename().string();
    std::string const problem = "has a name that ends in " + path.extension().string() + ", and ";
    if (is_empty) {
        return {path.string(), problem + "is empty", "copy it again, or write it again"};
    }
    if (found != Compression::none) {
        bool const gzip = found == Compression::gzip;
        return {path.string(),
                problem + "is compressed by " + (gzip ? "gzip" : "zstd"),
                "rename it to " + plain + (gzip ? ".gz" : ".zst")};
    }
    return {path.string(),
            problem + "is not compressed in that format",
            "rename it to " + plain + ", or copy it again if it was cut off"};
}

InputError unsupported_format_error(std::filesystem::path const& path,
                                    UnsupportedFormat const& format,
                                    FileContent wanted) {
    bool const keys = wanted == FileContent::keys;
    return {path.string(),
            "is in an unsupported format: " + format.name,
            format.remedy +
                (keys ? "; or give " + setting("format", "raw") + " if these bytes are keys" : "")};
}

/// An error if the content contradicts the format given by the file's name; else nullopt.
std::optional<InputError>
misnamed(std::filesystem::path const& path, KeyFileFormat named, std::string_view beginning) {
    if (named == KeyFileFormat::npy) {
        return std::nullopt; // the header parser gives a better error
    }
    bool const known_raw = named == KeyFileFormat::raw && has_raw_ending(path);
    bool const of_16_bits = known_raw && lower_ending(uncompressed_name(path)).ends_with("16");
    if (!of_16_bits && is_wide_text(beginning)) {
        return InputError{path.string(),
                          "is text of UTF-16 or UTF-32",
                          named == KeyFileFormat::raw
                              ? "save it as UTF-8 (iconv -f UTF-16 -t UTF-8) with a name that ends "
                                "in .csv, or give " +
                                    setting("format", "raw") + " if these bytes are keys"
                              : "save it as UTF-8: iconv -f UTF-16 -t UTF-8"};
    }
    bool const has_rows = beginning.find_first_of("\n\r") != std::string_view::npos;
    if (named == KeyFileFormat::raw && is_text(beginning) && (!known_raw || has_rows)) {
        return InputError{path.string(),
                          "holds text, and not raw keys",
                          "give " + setting("format", "csv") + " or a name that ends in .csv, or " +
                              setting("format", "raw") + " if these bytes are keys"};
    }
    return std::nullopt;
}

} // namespace

Expected<OpenedKeyBytes> open_key_bytes(std::filesystem::path const& path,
                                        std::optional<KeyFileFormat> format,
                                        FileContent wanted) {
    bool const taken_as_is = format == KeyFileFormat::raw;
    Compression const named = compression_of_name(path);
    auto const peeked = [](std::unique_ptr<ByteSource> bytes) {
        return peek_bytes(std::move(bytes), file_beginning_bytes);
    };
    KEYSWAP_TRY(auto file, open_raw_bytes(path).and_then(peeked));
    Compression const found = compression_of(file.beginning, named);
    if (named != Compression::none && found != named) {
        if (auto const format_found = unsupported_format(file.beginning, path, wanted);
            format_found && found == Compression::none) {
            return tl::unexpected(unsupported_format_error(path, *format_found, wanted));
        }
        return tl::unexpected(not_compressed(path, found, file.beginning.empty()));
    }
    OpenedKeyBytes opened;
    opened.as_stored = found == Compression::none || (taken_as_is && named == Compression::none);
    if (!opened.as_stored) {
        KEYSWAP_TRY(file, decompressed(std::move(file.all), path.string()).and_then(peeked));
        if (!taken_as_is && compression_of(file.beginning) != Compression::none) {
            return input_error(path.string(),
                               "is compressed twice",
                               "decompress it once, or give " + setting("format", "raw") +
                                   " if these bytes are keys");
        }
    }
    if (taken_as_is) {
        opened.format = KeyFileFormat::raw;
        opened.bytes = std::move(file.all);
        return opened;
    }
    if (auto const format_found = unsupported_format(file.beginning, path, wanted)) {
        return tl::unexpected(unsupported_format_error(path, *format_found, wanted));
    }
    bool const is_array = !format && file.beginning.starts_with(npy_mark);
    opened.format = is_array ? KeyFileFormat::npy : format.value_or(format_of_name(path));
    if (auto const named_so = unsupported_extension(lower_ending(uncompressed_name(path)), wanted);
        named_so && !format && !is_array) {
        return input_error(
            path.string(),
            "has the extension of " + named_so->name + " files, which cannot be read",
            named_so->remedy +
                (wanted == FileContent::keys
                     ? "; or give " + setting("format") + ", if it holds keys all the same"
                     : "; or give " + setting("format", "csv") + ", if it is CSV"));
    }
    if (auto error = misnamed(path, opened.format, file.beginning)) {
        return tl::unexpected(std::move(*error));
    }
    opened.bytes = std::move(file.all);
    return opened;
}

} // namespace keyswap::model
