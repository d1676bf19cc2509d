#pragma once

/// \file Tables of typed columns with nulls, as rows are checked. Cells lie where their owner put
/// them: in the buffers of Arrow or NumPy, or in memory of the table.

#include "model/rows/cell_type.hpp"
#include "model/rows/column_chunk.hpp"
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
