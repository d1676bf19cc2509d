#include "model/rows/readers/table_file.hpp"

#include "model/key_files/opened_key_bytes.hpp"
#include "model/rows/readers/numpy_table.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/little_endian.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::uint64_t memory_per_byte = 3; ///< bytes, copied cells and row starts

/// True if the bytes are a zip archive that begins with a NumPy array.
bool is_npz(std::string_view beginning) {
    constexpr std::size_t size_at = 26;
    constexpr std::size_t name_at = 30;
    if (!beginning.starts_with("PK\x03\x04") || beginning.size() < name_at) {
        return false;
    }
    return beginning.substr(name_at, little_endian(beginning, size_at, 2)).ends_with(".npy");
}

Expected<void> check_schema(RowTable const& table, CsvTableOptions const& options) {
    if (!options.guessed_from.empty()) {
        return {}; // the comparison of tables gives a better error
    }
    std::vector<std::string> names;
    for (ColumnInfo const& column : table.columns()) {
        names.push_back(column.name);
    }
    for (ColumnInfo const& wanted : options.schema) {
        auto const found = std::ranges::find(table.columns(), wanted.name, &ColumnInfo::name);
        if (found == table.columns().end()) {
            return tl::unexpected(no_schema_column(table.name(), names, wanted.name));
        }
        if (found->type != wanted.type) {
            return input_error(setting("schema"),
                               table.name() + " has its column '" + printable_text(wanted.name) +
                                   "' as " + to_string(found->type) + ", not " +
                                   to_string(wanted.type),
                               "leave the column out: NumPy files contain their types");
        }
    }
    return {};
}

Expected<TableFile> numpy_table(ByteSource& source,
                                std::filesystem::path const& path,
                                CsvTableOptions const& options,
                                bool is_archive) {
    KEYSWAP_TRY(auto text, read_text(source, path.string(), memory_per_byte));
    auto const bytes = std::make_shared<std::string const>(std::move(text));
    std::string const name = printable_text(path.string());
    KEYSWAP_TRY(auto read,
                is_archive ? parse_npz_table(bytes, name) : parse_npy_table(bytes, name));
    KEYSWAP_RETURN_IF_ERROR(check_schema(read.table, options));
    return read;
}

} // namespace

Expected<TableFile> read_table_file(std::filesystem::path const& path,
                                    CsvTableOptions const& options) {
    KEYSWAP_TRY(auto whole, open_bytes(path));
    KEYSWAP_TRY(auto const peeked, peek_bytes(std::move(whole), file_beginning_bytes));
    bool const named_npz = lower_ending(uncompressed_name(path)) == ".npz";
    bool const is_archive = is_npz(peeked.beginning) || (named_npz && !options.is_csv);
    if (is_archive || peeked.beginning.starts_with("\x93NUMPY")) {
        return numpy_table(*peeked.all, path, options, is_archive);
    }
    KEYSWAP_TRY(auto const opened,
                open_key_bytes(path,
                               options.is_csv ? std::optional(KeyFileFormat::csv) : std::nullopt,
                               FileContent::rows));
    if (opened.format == KeyFileFormat::npy) {
        return numpy_table(*opened.bytes, path, options, false);
    }
    if (opened.format != KeyFileFormat::csv) {
        return input_error(
            path.string(),
            "has the extension of raw keys, and rows are read from CSV, .npy and .npz",
            "give " + setting("format", "csv") + " if it is such a table");
    }
    KEYSWAP_TRY(auto text, read_text(*opened.bytes, path.string(), memory_per_byte));
    return parse_csv_table(std::move(text), printable_text(path.string()), options);
}

} // namespace keyswap::model
