#include "model/rows/readers/arrow_cells.hpp"

#include "model/rows/table/cell.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/errors/utf8.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace keyswap::model {

namespace {

/// Upper bound of the rows of an array, offset included, chosen so that no sum or product below
/// overflows.
constexpr std::int64_t claimed_rows_max = std::int64_t{1} << 56;

std::byte const* buffer_of(ArrowArray const& array, std::int64_t index) {
    return static_cast<std::byte const*>(array.buffers[index]);
}

Expected<void>
set_valid(ColumnChunk& chunk, ArrowArray const& array, ArrowRows rows, std::string const& subject) {
    std::byte const* const valid = buffer_of(array, 0);
    if (valid == nullptr && array.null_count > 0) {
        return malformed_export(subject, "has nulls, but no validity bitmap");
    }
    if (array.null_count != 0) {
        chunk.valid = valid;
        chunk.first_valid_bit = rows.first;
    }
    return {};
}

/// Checks that offsets ascend, even in null rows, and that text is UTF-8 unless it is null.
Expected<void> check_sequences(ColumnChunk const& chunk,
                               std::uint64_t row_count,
                               bool is_text,
                               std::string const& subject) {
    auto const end_at = [&chunk](std::uint64_t i) {
        return chunk.wide_offsets ? load<std::int64_t>(chunk.offsets + 8 * i)
                                  : std::int64_t{load<std::int32_t>(chunk.offsets + 4 * i)};
    };
    std::int64_t last = end_at(0);
    bool ascending = last >= 0;
    std::int64_t const first = last;
    for (std::uint64_t i = 1; i <= row_count && ascending; ++i) {
        std::int64_t const end = end_at(i);
        ascending = end >= last && end <= std::numeric_limits<std::int64_t>::max() / 2;
        last = end;
    }
    if (!ascending) {
        return malformed_export(subject, "has offsets that do not ascend");
    }
    if (last > first && chunk.cells == nullptr) {
        return malformed_export(subject, "has offsets, but no bytes");
    }
    if (!is_text) {
        return {};
    }
    for (std::uint64_t row = 0; row < row_count; ++row) {
        if (!chunk.is_null(row) && !is_utf8(chunk.sequence(row))) {
            return input_error(subject,
                               "has text in row " + std::to_string(row) +
                                   " of a chunk that is not UTF-8",
                               "export the column as binary");
        }
    }
    return {};
}

/// The cells of a column of views; a view of up to 12 bytes stores its bytes inline.
/// Source: Arrow's columnar format, "Variable-size Binary View Layout".
class Views {
  public:
    Views(ArrowArray const& array, ArrowRows rows) : array_(array), rows_(rows) {}

    /// \return an error if a view points outside its buffer
    [[nodiscard]] std::optional<std::string_view> cell(std::uint64_t row) const {
        constexpr std::size_t view_bytes = 16;
        constexpr std::int32_t inline_bytes_max = 12;
        std::byte const* const view = buffer_of(array_, 1) + view_bytes * (rows_.first + row);
        auto const size = load<std::int32_t>(view);
        if (size < 0) {
            return std::nullopt;
        }
        auto const bytes = static_cast<std::size_t>(size);
        if (size <= inline_bytes_max) {
            return std::string_view(reinterpret_cast<char const*>(view) + 4, bytes);
        }
        auto const buffer = load<std::int32_t>(view + 8);
        auto const offset = load<std::int32_t>(view + 12);
        // The last buffer holds the sizes of the data buffers.
        std::int64_t const data_buffers = array_.n_buffers - 3;
        std::byte const* const sizes = buffer_of(array_, array_.n_buffers - 1);
        if (buffer < 0 || buffer >= data_buffers || offset < 0 || sizes == nullptr ||
            std::int64_t{offset} + size >
                load<std::int64_t>(sizes + std::size_t{8} * static_cast<std::size_t>(buffer)) ||
            buffer_of(array_, 2 + buffer) == nullptr) {
            return std::nullopt;
        }
        return std::string_view(
            reinterpret_cast<char const*>(buffer_of(array_, 2 + buffer)) + offset, bytes);
    }

  private:
    ArrowArray const& array_;
    ArrowRows rows_;
};

Expected<ColumnChunk> copy_views(ArrowColumn const& column,
                                 ArrowArray const& array,
                                 ArrowRows rows,
                                 std::string const& subject) {
    ColumnChunk nulls;
    KEYSWAP_RETURN_IF_ERROR(set_valid(nulls, array, rows, subject));
    ColumnBuilder copies(column.info.type);
    Views const views(array, rows);
    for (std::uint64_t row = 0; row < rows.count; ++row) {
        if (nulls.is_null(row)) {
            copies.add_null();
            continue;
        }
        auto const cell = views.cell(row);
        if (!cell) {
            return malformed_export(subject, "has a view outside its buffers");
        }
        if (column.info.type.kind == CellKind::utf8 && !is_utf8(*cell)) {
            return input_error(
                subject, "has text that is not UTF-8", "export the column as binary");
        }
        copies.add_sequence(*cell);
    }
    return copies.take();
}

/// The cells of an array without a dictionary. \param rows range within the array
Expected<ColumnChunk> plain_cells(ArrowColumn const& column,
                                  ArrowArray const& array,
                                  ArrowRows rows,
                                  std::string const& subject) {
    CellType const& type = column.info.type;
    if (type.kind == CellKind::null || rows.count == 0) {
        return ColumnChunk{};
    }
    std::byte const* const data = buffer_of(array, 1);
    if (data == nullptr) {
        return malformed_export(subject, "has rows, but no values");
    }
    if (column.is_view) {
        return copy_views(column, array, rows, subject);
    }
    ColumnChunk cells;
    KEYSWAP_RETURN_IF_ERROR(set_valid(cells, array, rows, subject));
    if (type.is_sequence()) {
        cells.wide_offsets = column.wide_offsets;
        cells.offsets = data + (column.wide_offsets ? 8 : 4) * rows.first;
        cells.cells = buffer_of(array, 2);
        KEYSWAP_RETURN_IF_ERROR(
            check_sequences(cells, rows.count, type.kind == CellKind::utf8, subject));
    } else if (type.kind == CellKind::boolean) {
        cells.cells = data;
        cells.first_bit = rows.first;
    } else {
        cells.cells = data + type.size_bytes * rows.first;
        cells.stride_bytes = static_cast<std::ptrdiff_t>(type.size_bytes);
    }
    return cells;
}

std::int64_t buffers_of(ArrowColumn const& column) {
    if (column.is_view) {
        return 3; // plus the data buffers, whose sizes are in the last one
    }
    return column.info.type.kind == CellKind::null ? 0 : column.info.type.is_sequence() ? 3 : 2;
}

/// Replaces dictionary indices by the values.
Expected<ColumnChunk> decode(ArrowColumn const& column,
                             ArrowArray const& array,
                             ArrowRows rows,
                             std::string const& subject) {
    if (array.dictionary == nullptr) {
        return malformed_export(subject, "lacks the dictionary that its schema has");
    }
    ArrowArray const& dictionary = *array.dictionary;
    ArrowColumn values = column;
    values.index_bytes = 0;
    KEYSWAP_RETURN_IF_ERROR(check_array(dictionary, buffers_of(values), 0, subject));
    ArrowRows const all{static_cast<std::uint64_t>(dictionary.offset),
                        static_cast<std::uint64_t>(dictionary.length)};
    KEYSWAP_TRY(auto const known, plain_cells(values, dictionary, all, subject));
    ArrowColumn indices;
    indices.info.type = {column.signed_indices ? CellKind::signed_integer
                                               : CellKind::unsigned_integer,
                         column.index_bytes};
    KEYSWAP_TRY(auto const places, plain_cells(indices, array, rows, subject));
    ColumnBuilder decoded(column.info.type);
    for (std::uint64_t row = 0; row < rows.count; ++row) {
        if (places.is_null(row)) {
            decoded.add_null();
            continue;
        }
        std::uint64_t const index = word_of(indices.info.type, places, row);
        if (index >= all.count) { // includes negative ones
            return malformed_export(
                subject, "has an index beyond its dictionary of " + std::to_string(all.count));
        }
        decoded.add_cell(known, index);
    }
    return decoded.take();
}

} // namespace

Expected<void> check_array(ArrowArray const& array,
                           std::int64_t buffers_min,
                           std::int64_t children,
                           std::string const& subject) {
    if (array.length < 0 || array.offset < 0 || array.length > claimed_rows_max ||
        array.offset > claimed_rows_max) {
        return malformed_export(subject,
                                "claims " + std::to_string(array.length) + " rows from " +
                                    std::to_string(array.offset) + " on");
    }
    if (array.null_count < -1 || array.null_count > array.length) {
        return malformed_export(subject,
                                "claims " + std::to_string(array.null_count) + " nulls among " +
                                    std::to_string(array.length) + " rows");
    }
    if (array.n_buffers < buffers_min || (array.n_buffers > 0 && array.buffers == nullptr)) {
        return malformed_export(subject,
                                "has " + std::to_string(array.n_buffers) +
                                    " buffers where its type has " + std::to_string(buffers_min));
    }
    bool const has_children =
        array.n_children == children && (children == 0 || array.children != nullptr);
    if (!has_children || std::any_of(array.children,
                                     array.children + children,
                                     [](ArrowArray const* child) { return child == nullptr; })) {
        return malformed_export(subject,
                                "has " + std::to_string(array.n_children) +
                                    " children where its schema has " + std::to_string(children));
    }
    return {};
}

Expected<ColumnChunk> column_cells(ArrowColumn const& column,
                                   ArrowArray const& array,
                                   ArrowRows rows,
                                   std::string const& table) {
    std::string const subject = table + ", column '" + printable_text(column.info.name) + "'";
    KEYSWAP_RETURN_IF_ERROR(
        check_array(array, column.is_dictionary() ? 2 : buffers_of(column), 0, subject));
    if (rows.first + rows.count > static_cast<std::uint64_t>(array.length)) {
        return malformed_export(subject,
                                "has " + std::to_string(array.length) + " rows in a batch of " +
                                    std::to_string(rows.first + rows.count));
    }
    rows.first += static_cast<std::uint64_t>(array.offset);
    return column.is_dictionary() ? decode(column, array, rows, subject)
                                  : plain_cells(column, array, rows, subject);
}

Expected<void> check_whole_rows(ArrowArray const& batch, ArrowRows rows, std::string const& table) {
    if (batch.n_buffers == 0 || batch.null_count == 0 || rows.count == 0) {
        return {};
    }
    ColumnChunk whole;
    KEYSWAP_RETURN_IF_ERROR(set_valid(whole, batch, rows, table));
    for (std::uint64_t row = 0; row < rows.count; ++row) {
        if (whole.is_null(row)) {
            return input_error(table,
                               "has a record that is null as a whole, row " + std::to_string(row) +
                                   " of a batch",
                               "drop such records, or give the columns one by one");
        }
    }
    return {};
}

} // namespace keyswap::model
