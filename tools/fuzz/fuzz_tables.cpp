// Fuzzes Arrow structs, CSV tables, schemas and sort keys.

#include "model/rows/check_rows.hpp"
#include "model/rows/readers/csv_table.hpp"
#include "model/rows/readers/numpy_table.hpp"
#include "model/rows/sort_keys.hpp"
#include "model/testing/arrow_fixtures.hpp"
#include "tools/fuzz/fuzzing.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace keyswap;
using namespace keyswap::model;
using keyswap::fuzzing::require;
using testing::ArrowNode;

/// Consumes an input byte by byte; returns zeros past its end.
class Input {
  public:
    explicit Input(std::string_view bytes) : bytes_(bytes) {}

    std::uint8_t byte() {
        if (bytes_.empty()) {
            return 0;
        }
        auto const value = static_cast<std::uint8_t>(bytes_.front());
        bytes_.remove_prefix(1);
        return value;
    }
    /// Mostly small, sometimes an invalid or huge count.
    std::int64_t count() {
        std::uint8_t const value = byte();
        constexpr std::array<std::int64_t, 6> odd{
            -1, -2, INT64_MAX, INT64_MIN, (std::int64_t{1} << 56) + 1, std::int64_t{1} << 60};
        return value < 250 ? value % 12 : odd[value - 250U];
    }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }

  private:
    std::string_view bytes_;
};

constexpr std::int64_t rows_max = 12; ///< length and offset of batches and columns
constexpr std::size_t buffer_cells = 4 * rows_max + 2;
constexpr std::size_t data_bytes = 256;

/// The interface lacks buffer lengths: these buffers cover every valid count and offset.
std::vector<std::byte> buffer_of(Input& input, std::size_t cell_bytes, bool small_numbers) {
    std::vector<std::byte> buffer(buffer_cells * cell_bytes);
    for (std::size_t i = 0; i < buffer.size(); i += small_numbers ? cell_bytes : 1) {
        auto const value = static_cast<std::int8_t>(input.byte());
        buffer[i] = static_cast<std::byte>(value);
        for (std::size_t high = 1; small_numbers && high < cell_bytes; ++high) {
            buffer[i + high] = value < 0 ? std::byte{0xff} : std::byte{0};
        }
    }
    return buffer;
}

std::vector<std::byte> data_of(Input& input) {
    std::vector<std::byte> data(data_bytes);
    for (std::byte& byte : data) {
        byte = static_cast<std::byte>(input.byte());
    }
    return data;
}

ArrowNode column_of(Input& input, bool may_have_dictionary) {
    constexpr std::array<std::string_view, 34> formats{
        "n",   "b",   "c",   "C",    "s",    "S",       "i",    "I",     "l",
        "L",   "e",   "f",   "g",    "u",    "U",       "z",    "Z",     "vu",
        "vz",  "tdD", "tdm", "tss:", "tsm:", "tsu:UTC", "tsn:", "d:9,2", "d:38,-3,128",
        "w:4", "ttm", "tDn", "tiM",  "+l",   "+s",      "+w:2"};
    ArrowNode node;
    std::uint8_t const chosen = input.byte();
    node.format = chosen < 250 ? std::string(formats[chosen % formats.size()])
                               : std::string(1, static_cast<char>(input.byte())) + "s:";
    node.name = std::string(1, static_cast<char>(input.byte()));
    node.length = input.count();
    node.offset = input.count();
    std::int64_t const nulls = input.count();
    node.null_count = nulls == 0 ? -1 : nulls > 0 ? nulls - 1 : nulls;
    std::uint8_t const shape = input.byte();
    bool const wide = node.format == "U" || node.format == "Z";
    bool const text = node.format == "u" || node.format == "z" || wide;
    bool const view = node.format.starts_with('v');
    node.buffers = {(shape & 1U) != 0 ? buffer_of(input, 1, false) : std::vector<std::byte>{}};
    if (text || view) {
        node.buffers.push_back(buffer_of(input, wide ? 8 : 4, true));
        if (view) {
            node.buffers.back().resize(16 * buffer_cells);
        }
        node.buffers.push_back(data_of(input));
        if (view) {
            node.buffers.push_back(
                testing::bytes_of_numbers(std::vector<std::int64_t>{data_bytes}));
        }
    } else {
        node.buffers.push_back(buffer_of(input, 16, false));
    }
    if ((shape & 0x70U) == 0x70U) {
        node.buffers.pop_back();
    }
    if (may_have_dictionary && (shape & 2U) != 0) {
        node.dictionary = std::make_shared<ArrowNode>(column_of(input, false));
        node.buffers.resize(1);
        node.buffers.push_back(buffer_of(input, 8, true));
    }
    return node;
}

/// Every array is released exactly once; every cell of a table can be printed and hashed.
void fuzz_arrow(Input input) {
    ArrowNode batch = testing::record_batch({});
    std::uint8_t const shape = input.byte();
    for (int i = shape % 4; i > 0; --i) {
        batch.children.push_back(column_of(input, true));
    }
    batch.length = input.count();
    batch.offset = input.count();
    if ((shape & 0x80U) != 0) {
        batch = column_of(input, true);
    }
    int alive = 0;
    int released = 0;
    batch.alive = &alive;
    {
        auto stream =
            testing::export_stream({batch, {batch, batch}, 0, shape % 8 == 7 ? 1 : -1, &released});
        auto const table = import_arrow_stream(&stream, "fuzz");
        require(released == 1 && stream.release == nullptr, "the stream was not released once");
        if (!table) {
            require(!table.error().remedy.empty() && table.error().subject.starts_with("fuzz"),
                    "an error without a subject or a remedy");
        } else {
            for (std::uint64_t row = 0; row < table->row_count(); ++row) {
                for (std::size_t column = 0; column < table->columns().size(); ++column) {
                    require(!table->shown(row, column).empty(), "a cell that shows nothing");
                }
            }
            SortKeys keys{{"1"}};
            auto const check = check_rows(*table, std::vector<RowTable>{*table}, keys, {});
            require(!check || check->permutation(), "a table is not itself");
        }
    }
    require(alive == 0, "an array was not released once");
}

/// A valid table survives a round trip through its quoted cells and its types.
void fuzz_csv(std::string const& text) {
    auto const read = parse_csv_table(text, "fuzz", {});
    if (!read) {
        require(!read.error().remedy.empty(), "an error without a remedy");
        return;
    }
    RowTable const& table = read->table;
    require(table.row_count() == read->lines.size(), "rows have no text");
    auto const quoted = [](std::string const& cell) {
        std::string result = "\"";
        for (char const letter : cell) {
            result += letter == '"' ? "\"\"" : std::string(1, letter);
        }
        return result + "\"";
    };
    std::string again;
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
        again += (column == 0 ? "" : ",") + quoted("c" + std::to_string(column));
    }
    CsvTableOptions options;
    for (std::size_t column = 0; column < table.columns().size(); ++column) {
        options.schema.push_back({"c" + std::to_string(column), table.columns()[column].type});
    }
    for (std::uint64_t row = 0; row < table.row_count(); ++row) {
        again += '\n';
        for (std::size_t column = 0; column < table.columns().size(); ++column) {
            again += column == 0 ? "" : ",";
            again += table.shown(row, column) == "NULL" ? "" : quoted(table.text(row, column));
        }
    }
    again += table.columns().size() == 1 ? "\n" : "";
    auto const second = parse_csv_table(again, "fuzz", options);
    if (table.columns().size() == 1 && table.row_count() > 0) {
        return; // a single null cell is a blank line
    }
    require(second.has_value(), "its own text is refused");
    require(second->table.row_count() == table.row_count(), "rows were lost");
    for (std::uint64_t row = 0; row < table.row_count(); ++row) {
        for (std::size_t column = 0; column < table.columns().size(); ++column) {
            require(second->table.shown(row, column) == table.shown(row, column),
                    "a cell has changed");
        }
    }
}

/// Every cell of a NumPy table can be printed, and the table has as many rows as it states.
void fuzz_numpy(std::string const& text, bool is_archive) {
    auto const bytes = std::make_shared<std::string const>(text);
    auto const read = is_archive ? parse_npz_table(bytes, "fuzz") : parse_npy_table(bytes, "fuzz");
    if (!read) {
        require(!read.error().remedy.empty() && read.error().subject.starts_with("fuzz"),
                "an error without a subject or a remedy");
        return;
    }
    RowTable const& table = read->table;
    require(read->record_bytes == 0 ||
                read->records.size() == table.row_count() * read->record_bytes,
            "rows without bytes");
    for (std::uint64_t row = 0; row < table.row_count(); ++row) {
        for (std::size_t column = 0; column < table.columns().size(); ++column) {
            require(!table.shown(row, column).empty(), "a cell that shows nothing");
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    std::string const rest(reinterpret_cast<char const*>(data) + 1, size - 1);
    switch (data[0] % 6) {
    case 0:
        fuzz_csv(rest);
        break;
    case 1:
        if (auto const keys = parse_sort_keys(rest)) {
            auto const again = parse_sort_keys(to_string(*keys));
            require(again && *again == *keys, "keys have changed");
        }
        break;
    case 2:
        static_cast<void>(parse_schema(rest));
        break;
    case 3:
    case 4:
        fuzz_numpy(rest, data[0] % 6 == 4);
        break;
    default:
        fuzz_arrow(Input(rest));
    }
    return 0;
}
