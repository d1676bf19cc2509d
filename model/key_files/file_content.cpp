#include "model/key_files/file_content.hpp"

#include "traces/errors/placeholder.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/format/little_endian.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace keyswap::model {

namespace {

using namespace std::string_view_literals;

/// Commands that extract keys from a file; FILE stands for its name.
constexpr std::string_view by_pandas = "python3 -c \"import numpy, pandas; numpy.save('keys.npy', ";
constexpr std::string_view rows_by_pandas = "python3 -c \"import pandas; pandas";
constexpr std::string_view rows_to_csv = ".to_csv('rows.csv', index=False)\"";
constexpr std::string_view save_rows = "save its rows as CSV";
constexpr std::string_view save_array = "save its keys as .npy (numpy.save)";
constexpr std::string_view npz_remedy =
    "python3 -c \"import numpy; numpy.save('keys.npy', numpy.load('FILE')['NAME'])\" if it is .npz";

struct FormatSignature {
    std::string_view beginning;
    std::string_view format;
    std::string_view remedy = save_array; ///< a Python expression if it begins with a dot
    std::size_t offset = 0;
};

/// Signatures of formats that hold columns of numbers, or of archives. At least four bytes each,
/// except for ORC.
constexpr std::array signatures{
    FormatSignature{"PAR1", "Parquet", ".read_parquet('FILE')['COLUMN']"},
    FormatSignature{"PARE", "encrypted Parquet"},
    FormatSignature{"ARROW1", "Arrow or Feather", ".read_feather('FILE')['COLUMN']"},
    FormatSignature{"FEA1", "Feather", ".read_feather('FILE')['COLUMN']"},
    FormatSignature{"ORC", "ORC", ".read_orc('FILE')['COLUMN']"},
    FormatSignature{"\x89HDF\r\n\x1a\n",
                    "HDF5",
                    "python3 -c \"import h5py, numpy; numpy.save('keys.npy', "
                    "h5py.File('FILE')['NAME'][:])\""},
    FormatSignature{"\x89HDF\r\n\x1a\n", "HDF5", save_array, 512},
    FormatSignature{"\x0e\x03\x13\x01", "HDF4"},
    FormatSignature{"CDF\x01", "NetCDF"},
    FormatSignature{"CDF\x02", "NetCDF"},
    FormatSignature{"CDF\x05", "NetCDF"},
    FormatSignature{"Obj\x01", "Avro"},
    FormatSignature{"RCF\x01", "RCFile"},
    FormatSignature{"SEQ\x06", "Hadoop sequences"},
    FormatSignature{"SQLite format 3\0"sv,
                    "SQLite",
                    "sqlite3 -csv 'FILE' 'SELECT COLUMN FROM TABLE' > keys.csv"},
    FormatSignature{"DUCK", "DuckDB", save_array, 8},
    FormatSignature{"MATLAB 5.0 MAT", "MATLAB"},
    FormatSignature{"MATLAB 7.3 MAT", "MATLAB"},
    FormatSignature{"RDX2\n", "R"},
    FormatSignature{"RDX3\n", "R"},
    FormatSignature{"X\n\0\0\0"sv, "R"},
    FormatSignature{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel 97", "save it as CSV"},
    FormatSignature{"Standard Jet DB", "Access", "export it as CSV", 4},
    FormatSignature{"Standard ACE DB", "Access", "export it as CSV", 4},
    FormatSignature{"\xc2\xea\x81\x60\xb3\x14\x11\xcf", "SAS", ".read_sas('FILE')['COLUMN']", 12},
    FormatSignature{"HEADER RECORD***", "SAS", ".read_sas('FILE')['COLUMN']"},
    FormatSignature{"kxzipped", "kdb+"},
    FormatSignature{"\xac\xed\0\x05"sv, "Java objects"},
    FormatSignature{"bplist00", "property lists"},
    FormatSignature{"<stata_dta>", "Stata"},
    FormatSignature{"$FL2@(#)", "SPSS"},
    FormatSignature{"SIMPLE  =", "FITS"},
    FormatSignature{"PK\x03\x04", "zip or .npz", npz_remedy},
    FormatSignature{"PK\x05\x06", "zip or .npz", npz_remedy},
    FormatSignature{"PK\x07\x08", "zip or .npz", npz_remedy},
    FormatSignature{"ustar", "tar", "unpack it with 'tar -xf FILE'", 257},
    FormatSignature{"\xfd"
                    "7zXZ\0"sv,
                    "xz",
                    "decompress it with 'xz -dk FILE'"},
    FormatSignature{"7z\xbc\xaf\x27\x1c", "7-Zip", "unpack it with '7z x FILE'"},
    FormatSignature{"\x04\x22\x4d\x18", "LZ4", "decompress it with 'lz4 -dk FILE'"},
    FormatSignature{"\x02\x21\x4c\x18", "LZ4", "decompress it with 'lz4 -dk FILE'"},
    FormatSignature{"LZIP", "lzip", "decompress it with 'lzip -dk FILE'"},
    FormatSignature{"\x89LZO\0\r\n\x1a\n"sv, "lzop", "decompress it with 'lzop -d FILE'"},
    FormatSignature{"\xff\x06\0\0sNaPpY"sv, "Snappy"},
    FormatSignature{"Rar!\x1a\x07", "RAR"},
    FormatSignature{"MSCF\0\0\0\0"sv, "cabinets"},
    FormatSignature{"!<arch>\n", "archives of ar"},
    FormatSignature{"\xcf\xfa\xed\xfe", "programs for macOS"},
    FormatSignature{"GGUF", "GGUF"},
    FormatSignature{"\x7f"
                    "ELF",
                    "ELF"},
    FormatSignature{"MZ\x90\0\x03\0\0\0"sv, "programs for Windows"},
    FormatSignature{"\x89PNG\r\n\x1a\n", "PNG"},
    FormatSignature{"\xff\xd8\xff\xe0\0\x10JFIF"sv, "JPEG"},
    FormatSignature{"GIF87a", "GIF"},
    FormatSignature{"GIF89a", "GIF"},
    FormatSignature{"%PDF-", "PDF"},
    FormatSignature{"II*\0"sv, "TIFF"}};

/// Name endings of unsupported formats that have no signature, or several.
constexpr std::array<std::string_view, 42> unsupported_endings{
    ".arrow",   ".arrows",   ".avro",    ".bson",    ".cbor",   ".db",       ".dta",
    ".feather", ".h5",       ".hdf",     ".hdf5",    ".ipc",    ".joblib",   ".json",
    ".jsonl",   ".mat",      ".mdb",     ".msgpack", ".nc",     ".ndjson",   ".npz",
    ".ods",     ".orc",      ".parquet", ".pb",      ".pickle", ".pkl",      ".pq",
    ".pt",      ".pth",      ".rda",     ".rdata",   ".rds",    ".sas7bdat", ".sav",
    ".sqlite",  ".tfrecord", ".xls",     ".xlsb",    ".xlsx",   ".xml",      ".zarr"};
constexpr std::array<std::string_view, 12> compressed_endings{
    ".z", ".zz", ".zlib", ".bz2", ".xz", ".lzma", ".lz", ".lz4", ".br", ".sz", ".snappy", ".lzo"};

/// bzip2 stores its block size between the two parts of its signature.
bool is_bzip2(std::string_view beginning) {
    std::string_view const block = beginning.substr(0, 10);
    return block.starts_with("BZh") &&
           (block.ends_with("1AY&SY") || block.ends_with("\x17rE8P\x90"));
}

/// Source: pickle protocol 4 and later: PROTO, FRAME and the frame's size.
bool is_pickle(std::string_view beginning) {
    // Protocols 2 and 3: PROTO and the opcode that begins a list, dictionary, tuple or object.
    bool const old = beginning.size() > 4 && beginning[0] == '\x80' &&
                     (beginning[1] == '\x02' || beginning[1] == '\x03');
    std::string_view const first = beginning.substr(std::min<std::size_t>(2, beginning.size()), 3);
    if (old && (first.starts_with("]q\0"sv) || first.starts_with("}q\0"sv) ||
                first.starts_with("(K") || first.starts_with("(M") || first.starts_with("(J") ||
                first.starts_with("(G") || first.starts_with("(]q") || first.starts_with("cnu") ||
                first.starts_with("cpa") || first.starts_with("cco") || first.starts_with("c__"))) {
        return true;
    }
    std::uint64_t const frame_size = little_endian(beginning, 3, 8);
    return beginning.size() > 11 && beginning[0] == '\x80' &&
           (beginning[1] == '\x04' || beginning[1] == '\x05') && beginning[2] == '\x95' &&
           frame_size > 0 && frame_size < std::uint64_t{1} << 40;
}

/// Source: LZMA SDK, "lzma" files: one byte of properties, dictionary size (4 bytes), content size
/// (8 bytes, -1 if unknown).
bool is_lzma(std::string_view beginning) {
    std::uint64_t const dictionary = little_endian(beginning, 1, 4);
    std::uint64_t const content = little_endian(beginning, 5, 8);
    constexpr std::uint64_t unknown = ~std::uint64_t{0};
    bool const usual_dictionary = dictionary >= 1U << 12U && std::popcount(dictionary) <= 2;
    return beginning.size() > 13 && beginning[0] == ']' && beginning[13] == '\0' &&
           usual_dictionary && (content == unknown || content < std::uint64_t{1} << 40U);
}

/// Source: safetensors: the size of the header, then the header as JSON.
bool is_safetensors(std::string_view beginning) {
    constexpr std::uint64_t json_size_max = 100'000'000;
    return beginning.size() > 10 && beginning.substr(8, 2) == "{\"" &&
           little_endian(beginning, 0, 8) <= json_size_max;
}

/// Source: Arrow's columnar format, "Encapsulated message format": a continuation marker (since
/// 0.15), the metadata size, and a flatbuffer: a Message whose header is a Schema.
bool is_arrow_stream(std::string_view beginning) {
    constexpr std::uint64_t metadata_size_max = std::uint64_t{1} << 24;
    constexpr std::uint64_t schema_header = 1;
    constexpr std::uint64_t version_max = 4;
    std::size_t const size_at = beginning.starts_with("\xff\xff\xff\xff") ? 4 : 0;
    std::size_t const root = size_at + 4;
    std::uint64_t const metadata_size = little_endian(beginning, size_at, 4);
    std::uint64_t const table = root + little_endian(beginning, root, 4);
    if (metadata_size < 16 || metadata_size > metadata_size_max || metadata_size % 4 != 0 ||
        table < root + 4 || table + 4 > beginning.size()) {
        return false;
    }
    // A table begins with its signed distance from its vtable, which precedes it.
    auto const distance = static_cast<std::int32_t>(little_endian(beginning, table, 4));
    auto const places = static_cast<std::int64_t>(table) - distance;
    if (places < static_cast<std::int64_t>(root) + 4 ||
        places + 8 > static_cast<std::int64_t>(beginning.size())) {
        return false;
    }
    auto const fields = static_cast<std::size_t>(places);
    std::uint64_t const places_size = little_endian(beginning, fields, 2);
    std::uint64_t const version_at = little_endian(beginning, fields + 4, 2);
    std::uint64_t const header_at = little_endian(beginning, fields + 6, 2);
    std::uint64_t const version =
        version_at == 0 ? 0 : little_endian(beginning, table + version_at, 2);
    return places_size >= 8 && places_size <= 16 && header_at != 0 && header_at < 64 &&
           version_at < 64 && version <= version_max &&
           little_endian(beginning, table + header_at, 1) == schema_header;
}

/// Turns a remedy for keys into one for a table: the same pandas call without selecting a column.
std::string rows_remedy(std::string_view pattern) {
    if (pattern == npz_remedy) { // NumPy archives can be read as tables
        return "unpack it, or save its rows as CSV";
    }
    if (!pattern.starts_with('.')) {
        bool const gives_keys = pattern == save_array || pattern.starts_with("python3 ");
        return std::string(gives_keys ? save_rows : pattern);
    }
    return std::string(rows_by_pandas) + std::string(pattern.substr(0, pattern.find('['))) +
           std::string(rows_to_csv);
}

/// The remedy with FILE replaced by this file's name.
std::string remedy_for(std::string_view pattern,
                       std::filesystem::path const& path,
                       FileContent wanted = FileContent::keys) {
    std::string const text = wanted == FileContent::rows ? rows_remedy(pattern)
                             : pattern.starts_with('.')
                                 ? std::string(by_pandas) + "pandas" + std::string(pattern) + ")\""
                                 : std::string(pattern);
    return fill_in(text, "FILE", printable_text(path.string()));
}

/// Length in bytes of the UTF-8 character that begins with this byte; 0 if none does.
std::size_t character_size(unsigned char first) {
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

bool is_control(unsigned char letter) {
    constexpr std::string_view of_text = "\t\n\v\f\r\x1a"; // \x1a ends text files of DOS
    return (letter < 0x20 && of_text.find(static_cast<char>(letter)) == std::string_view::npos) ||
           letter == 0x7f;
}

} // namespace

std::optional<UnsupportedFormat> unsupported_format(std::string_view beginning,
                                                    std::filesystem::path const& path,
                                                    FileContent wanted) {
    for (FormatSignature const& mark : signatures) {
        if (beginning.size() > mark.offset &&
            beginning.substr(mark.offset).starts_with(mark.beginning)) {
            return UnsupportedFormat{std::string(mark.format),
                                     remedy_for(mark.remedy, path, wanted)};
        }
    }
    if (is_bzip2(beginning)) {
        return UnsupportedFormat{"bzip2", remedy_for("decompress it with 'bzip2 -dk FILE'", path)};
    }
    if (is_lzma(beginning)) {
        return UnsupportedFormat{
            "LZMA", remedy_for("decompress it with 'xz --format=lzma -dk FILE'", path)};
    }
    if (is_pickle(beginning)) {
        return UnsupportedFormat{"pickle", remedy_for(save_array, path, wanted)};
    }
    if (is_safetensors(beginning)) {
        return UnsupportedFormat{"safetensors", remedy_for(save_array, path, wanted)};
    }
    if (is_arrow_stream(beginning)) {
        constexpr std::string_view read_stream = "pyarrow.ipc.open_stream('FILE').read_all()";
        return UnsupportedFormat{
            "Arrow streams",
            wanted == FileContent::rows
                ? remedy_for("python3 -c \"import pyarrow; " + std::string(read_stream) +
                                 ".to_pandas().to_csv('rows.csv', index=False)\"",
                             path)
                : remedy_for("python3 -c \"import numpy, pyarrow; numpy.save('keys.npy', " +
                                 std::string(read_stream) + "['COLUMN'].to_numpy())\"",
                             path)};
    }
    return std::nullopt;
}

std::optional<UnsupportedFormat> unsupported_extension(std::string_view ending,
                                                       FileContent wanted) {
    bool const compressed =
        std::ranges::find(compressed_endings, ending) != compressed_endings.end();
    if (!compressed &&
        std::ranges::find(unsupported_endings, ending) == unsupported_endings.end()) {
        return std::nullopt;
    }
    return UnsupportedFormat{std::string(ending.substr(1)),
                             std::string(compressed                    ? "decompress it first"
                                         : wanted == FileContent::rows ? save_rows
                                                                       : save_array)};
}

bool is_text(std::string_view beginning) {
    for (std::size_t i = 0; i < beginning.size();) {
        auto const first = static_cast<unsigned char>(beginning[i]);
        std::size_t const size = character_size(first);
        if (size == 0 || is_control(first)) {
            return false;
        }
        std::string_view const rest = beginning.substr(i + 1, size - 1);
        if (!std::ranges::all_of(rest, [](char letter) {
                return (static_cast<unsigned char>(letter) & 0xc0U) == 0x80U;
            })) {
            return false;
        }
        i += size;
    }
    return !beginning.empty();
}

namespace {

/// True if all bytes are rows of ASCII in two bytes per character, the byte at offset `zero` of
/// each being 0.
bool is_unmarked_wide_text(std::string_view beginning, std::size_t zero) {
    bool has_rows = false;
    for (std::size_t i = 0; i + 1 < beginning.size(); i += 2) {
        auto const letter = static_cast<unsigned char>(beginning[i + 1 - zero]);
        bool const printable = letter >= 0x20 && letter < 0x7f;
        bool const ends_row = letter == '\n' || letter == '\r';
        if (beginning[i + zero] != '\0' || (!printable && !ends_row && letter != '\t')) {
            return false;
        }
        has_rows = has_rows || ends_row;
    }
    return has_rows && beginning.size() % 2 == 0;
}

} // namespace

bool is_wide_text(std::string_view beginning) {
    if (is_unmarked_wide_text(beginning, 0) || is_unmarked_wide_text(beginning, 1)) {
        return true;
    }
    bool const little = beginning.starts_with("\xff\xfe");
    bool const is_four =
        beginning.starts_with("\xff\xfe\0\0"sv) || beginning.starts_with("\0\0\xfe\xff"sv);
    if (!little && !is_four && !beginning.starts_with("\xfe\xff")) {
        return false;
    }
    std::size_t const size = is_four ? 4 : 2;
    std::size_t ascii = 0;
    std::size_t characters = 0;
    for (std::size_t i = size; i + size <= beginning.size(); i += size) {
        std::uint64_t character = 0;
        for (std::size_t byte = 0; byte < size; ++byte) {
            auto const at = i + (little ? size - 1 - byte : byte);
            character = character << 8 | static_cast<unsigned char>(beginning[at]);
        }
        if (character == 0 || character > 0x10ffff ||
            (character < 0x80 && is_control(static_cast<unsigned char>(character)))) {
            return false; // no text contains these, but keys may
        }
        ascii += character < 0x80 ? 1 : 0;
        ++characters;
    }
    return ascii * 2 > characters;
}

} // namespace keyswap::model
