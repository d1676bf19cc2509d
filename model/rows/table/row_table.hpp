#pragma once

/// \file Tables of typed, nullable columns, as the row check sees them. Cells remain in their
/// owner's memory: buffers of Arrow or NumPy, or memory of the table.

#include "model/rows/table/cell_type.hpp"
#include "model/rows/table/column_chunk.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Contiguous rows: one chunk per column.
struct RowBatch {
    std::uint64_t first_row = 0; ///< within the table; set by RowTable::add()
    std::uint64_t row_count = 0;
    std::vector<ColumnChunk> columns;
};

struct ColumnInfo {
    std::string name;
    CellType type;
    friend bool operator==(ColumnInfo const&, ColumnInfo const&) = default;
};

/// A table in batches; copies share the cells.
class RowTable {
  public:
    /// \param name used in findings and errors: "before", a file's name
    RowTable(std::string name, std::vector<ColumnInfo> columns)
        : name_(std::move(name)), columns_(std::move(columns)) {}

    /// Appends rows. \pre one chunk per column
    void add(RowBatch batch);

    [[nodiscard]] std::string const& name() const { return name_; }
    [[nodiscard]] std::vector<ColumnInfo> const& columns() const { return columns_; }
    [[nodiscard]] std::vector<RowBatch> const& batches() const { return batches_; }
    [[nodiscard]] std::uint64_t row_count() const { return row_count_; }
    /// A row of a batch. \pre row < row_count()
    struct Place {
        RowBatch const* batch;
        std::uint64_t row;
    };
    [[nodiscard]] Place place_of(std::uint64_t row) const;

    /// Index of the column with this name, or else of the column with this 1-based number.
    [[nodiscard]] Expected<std::size_t> column_named(std::string_view wanted) const;

    /// A cell for display: 'text', 12.50, 2024-02-29, NULL. \pre row and column exist
    [[nodiscard]] std::string shown(std::uint64_t row, std::size_t column) const;
    /// A cell as CSV text: unquoted and unabbreviated; empty for a null.
    [[nodiscard]] std::string text(std::uint64_t row, std::size_t column) const;

  private:
    std::string name_;
    std::vector<ColumnInfo> columns_;
    std::vector<RowBatch> batches_;
    std::uint64_t row_count_ = 0;
};

} // namespace keyswap::model
