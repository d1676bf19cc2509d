#include "model/keys/opened_key_bytes.hpp"

#include "traces/format/byte_source.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace keyswap::model {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t beginning_bytes = 16; ///< the longest of the marks below
constexpr std::string_view npy_mark = "\x93NUMPY";
/// With the method that every gzip file has, so that keys begin like this once in 2^24 files.
constexpr std::string_view gzip_mark = "\x1f\x8b\x08";
constexpr std::string_view zstd_mark = "\x28\xb5\x2f\xfd";

struct ForeignMark {
    std::string_view beginning;
    std::string_view format;
};

/// Of files in which people keep columns of numbers, or into which they pack them. At least four
/// bytes each, but for ORC's.
constexpr std::array foreign_marks{ForeignMark{"PAR1", "Parquet"},
                                   ForeignMark{"PARE", "encrypted Parquet"},
                                   ForeignMark{"ARROW1", "Arrow or Feather"},
                                   ForeignMark{"FEA1", "Feather"},
                                   ForeignMark{"\x89HDF\r\n\x1a\n", "HDF5"},
                                   ForeignMark{"CDF\x01", "NetCDF"},
                                   ForeignMark{"CDF\x02", "NetCDF"},
                                   ForeignMark{"CDF\x05", "NetCDF"},
                                   ForeignMark{"ORC", "ORC"},
                                   ForeignMark{"Obj\x01", "Avro"},
                                   ForeignMark{"SQLite format 3\0"sv, "SQLite"},
                                   ForeignMark{"MATLAB 5.0 MAT", "MATLAB"},
                                   ForeignMark{"PK\x03\x04", "zip or .npz"},
                                   ForeignMark{"\xfd"
                                               "7zXZ\0"sv,
                                               "xz"},
                                   ForeignMark{"7z\xbc\xaf\x27\x1c", "7-Zip"},
                                   ForeignMark{"\x04\x22\x4d\x18", "LZ4"},
                                   ForeignMark{"\x7f"
                                               "ELF",
                                               "ELF"},
                                   ForeignMark{"%PDF-", "PDF"}};

/// "bzip2" writes its block size between these two.
bool is_bzip2(std::string_view beginning) {
    return beginning.starts_with("BZh") && beginning.substr(0, 10).ends_with("1AY&SY");
}

enum class Compression { none, gzip, zstd };

Compression compression_of_name(std::filesystem::path const& path) {
    std::string const ending = path.extension().string();
    return ending == ".gz"    ? Compression::gzip
           : ending == ".zst" ? Compression::zstd
                              : Compression::none;
}

Compression compression_of_bytes(std::string_view beginning) {
    return beginning.starts_with(gzip_mark)   ? Compression::gzip
           : beginning.starts_with(zstd_mark) ? Compression::zstd
                                              : Compression::none;
}

InputError not_compressed(std::filesystem::path const& path) {
    return {path.string(),
            "has a name that ends in " + path.extension().string() + ", and is not compressed so",
            "rename it to " + uncompressed_name(path).filename().string() +
                ", or copy it again where it was cut off"};
}

} // namespace

std::filesystem::path uncompressed_name(std::filesystem::path const& path) {
    return compression_of_name(path) == Compression::none ? path : path.parent_path() / path.stem();
}

std::optional<std::string_view> foreign_format(std::string_view beginning) {
    for (ForeignMark const& mark : foreign_marks) {
        if (beginning.starts_with(mark.beginning)) {
            return mark.format;
        }
    }
    return is_bzip2(beginning) ? std::optional<std::string_view>("bzip2") : std::nullopt;
}

Expected<OpenedKeyBytes> open_key_bytes(std::filesystem::path const& path,
                                        std::optional<KeyFileFormat> format) {
    bool const taken_as_is = format == KeyFileFormat::raw;
    Compression const named = compression_of_name(path);
    auto const peeked = [](std::unique_ptr<ByteSource> bytes) {
        return peek_bytes(std::move(bytes), beginning_bytes);
    };
    auto file = open_raw_bytes(path).and_then(peeked);
    if (!file) {
        return tl::unexpected(file.error());
    }
    Compression const found = compression_of_bytes(file->beginning);
    if (named != Compression::none && found != named) {
        return tl::unexpected(not_compressed(path));
    }
    OpenedKeyBytes opened;
    opened.as_stored = found == Compression::none || (taken_as_is && named == Compression::none);
    if (!opened.as_stored) {
        file = decompressed(std::move(file->all), path.string()).and_then(peeked);
        if (!file) {
            return tl::unexpected(file.error());
        }
    }
    if (auto const foreign = taken_as_is ? std::nullopt : foreign_format(file->beginning)) {
        return tl::unexpected(
            InputError{path.string(),
                       "is a file of " + std::string(*foreign) + ", which is not read",
                       "save its keys as .npy, or give --format raw if these bytes are keys"});
    }
    bool const is_array = !format && file->beginning.starts_with(npy_mark);
    opened.format = is_array ? KeyFileFormat::npy : format.value_or(format_of_name(path));
    opened.bytes = std::move(file->all);
    return opened;
}

} // namespace keyswap::model
