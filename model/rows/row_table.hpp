#pragma once

/// \file Tables of typed columns with nulls, as rows are checked. Cells lie where their owner put
/// them: in the buffers of Arrow or NumPy, or in memory of the table.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

enum class CellKind {
    null,             ///< a column of nulls only, whose type nobody knows
    boolean,          ///< a bit each
    signed_integer,   ///< 1, 2, 4 or 8 bytes
    unsigned_integer, ///< 1, 2, 4 or 8 bytes
    floating,         ///< 2, 4 or 8 bytes
    decimal,          ///< 16 bytes, a signed integer times 10^-scale
    date,             ///< days (4 bytes) or milliseconds (8 bytes) since 1970-01-01
    timestamp,        ///< 8 bytes, units since 1970-01-01, in UTC where there is a time zone
    utf8,             ///< text, ordered by its bytes
    binary            ///< bytes
};

enum class TimeUnit { seconds, milliseconds, microseconds, nanoseconds };

/// The type of a column's cells.
struct CellType {
    CellKind kind = CellKind::null;
    std::size_t size_bytes = 0;        ///< of a cell; 0 for nulls, booleans, text and bytes
    TimeUnit unit = TimeUnit::seconds; ///< of timestamps
    std::string time_zone = {};        ///< of timestamps; empty if they have none
    int precision = 0;                 ///< of decimals: digits
    int scale = 0;                     ///< of decimals: digits after the point
    friend bool operator==(CellType const&, CellType const&) = default;

    /// Whether cells are text or bytes of any length.
    [[nodiscard]] bool is_sequence() const {
        return kind == CellKind::utf8 || kind == CellKind::binary;
    }
};

/// "int64", "timestamp[us, UTC]", "decimal(12, 2)": as `--schema` takes it.
[[nodiscard]] std::string to_string(CellType const& type);
/// The inverse; also "i64", "string", "double" and other usual names.
[[nodiscard]] Expected<CellType> parse_cell_type(std::string_view text);

/// Cells of one column that lie together. Numbers are little-endian, and need no alignment.
struct ColumnChunk {
    std::byte const* cells = nullptr; ///< the first cell; of booleans the byte with the first bit,
                                      ///< of text and bytes what offsets count from
    std::ptrdiff_t stride_bytes = 0;  ///< from a cell of fixed size to the next
    std::uint64_t first_bit = 0;      ///< of booleans: within the bytes of `cells`
    std::byte const* offsets = nullptr; ///< of text and bytes: cell_count + 1 ends of cells
    bool wide_offsets = false;          ///< of 64 bits each, else of 32
    std::byte const* valid = nullptr;   ///< a bit a cell, 0 for a null; nullptr: no nulls
    std::uint64_t first_valid_bit = 0;  ///< within the bytes of `valid`

    [[nodiscard]] bool is_null(std::uint64_t row) const {
        return valid != nullptr && !bit_at(valid, first_valid_bit + row);
    }
    [[nodiscard]] bool boolean(std::uint64_t row) const { return bit_at(cells, first_bit + row); }
    /// The bytes of a cell of text or bytes.
    [[nodiscard]] std::string_view sequence(std::uint64_t row) const;

  private:
    [[nodiscard]] static bool bit_at(std::byte const* bits, std::uint64_t index) {
        return (static_cast<unsigned>(bits[index / 8]) >> (index % 8) & 1U) != 0;
    }
};

/// Cells of fixed size, such as a NumPy array.
[[nodiscard]] ColumnChunk fixed_cells(std::byte const* first, std::ptrdiff_t stride_bytes);

/// Rows that lie together: a chunk for each column.
struct RowBatch {
    std::uint64_t first_row = 0; ///< of the table; RowTable::add() sets it
    std::uint64_t row_count = 0;
    std::vector<ColumnChunk> columns;
};

struct ColumnInfo {
    std::string name;
    CellType type;
    friend bool operator==(ColumnInfo const&, ColumnInfo const&) = default;
};

/// Copies share cells.
class RowTable {
  public:
    /// \param name what findings and errors call it: "before", a file's name
    RowTable(std::string name, std::vector<ColumnInfo> columns)
        : name_(std::move(name)), columns_(std::move(columns)) {}

    /// Appends rows. \param owner keeps the cells; nullptr: the caller does, longer than any copy
    /// \pre a chunk for each column
    void add(RowBatch batch, std::shared_ptr<void const> owner);

    [[nodiscard]] std::string const& name() const { return name_; }
    [[nodiscard]] std::vector<ColumnInfo> const& columns() const { return columns_; }
    [[nodiscard]] std::vector<RowBatch> const& batches() const { return batches_; }
    [[nodiscard]] std::uint64_t row_count() const { return row_count_; }
    /// A batch and a row of it. \pre row < row_count()
    struct Place {
        RowBatch const* batch;
        std::uint64_t row;
    };
    [[nodiscard]] Place place_of(std::uint64_t row) const;

    /// The column with this name, or of this number from 1 on where no column is named so.
    [[nodiscard]] Expected<std::size_t> column_named(std::string_view wanted) const;

    /// A cell as people read it: 'text', 12.50, 2024-02-29, NULL. \pre both exist
    [[nodiscard]] std::string shown(std::uint64_t row, std::size_t column) const;
    /// The same as CSV has it: without quotation marks or abbreviation, empty for a null.
    [[nodiscard]] std::string text(std::uint64_t row, std::size_t column) const;

  private:
    std::string name_;
    std::vector<ColumnInfo> columns_;
    std::vector<RowBatch> batches_;
    std::vector<std::shared_ptr<void const>> owners_;
    std::uint64_t row_count_ = 0;
};

} // namespace keyswap::model
