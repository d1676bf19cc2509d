#pragma once

/// \file Cells of Arrow arrays, checked as far as the interface allows.

#include "model/rows/arrow_format.hpp"
#include "model/rows/column_builder.hpp"

#include <cstdint>
#include <string>

namespace keyswap::model {

/// \param subject table and column
[[nodiscard]] InputError malformed_array(std::string const& subject, std::string problem);

/// What holds for arrays of every type: lengths, offsets, numbers of buffers and children.
[[nodiscard]] Expected<void> check_array(ArrowArray const& array,
                                         std::int64_t buffers_min,
                                         std::int64_t children,
                                         std::string const& subject);

/// Part of an array: the rows of a record batch.
struct ArrowRows {
    std::uint64_t first = 0; ///< the array's own offset included
    std::uint64_t count = 0;
};

/// A column's rows; the owner keeps copies if there are some.
using ColumnCells = ColumnBuilder::Built;

/// \param rows of the record batch, whose offset its columns add to their own
[[nodiscard]] Expected<ColumnCells> column_cells(ArrowColumn const& column,
                                                 ArrowArray const& array,
                                                 ArrowRows rows,
                                                 std::string const& table);

/// A null that stands for a whole row has no cells to compare: such rows are refused.
[[nodiscard]] Expected<void>
check_whole_rows(ArrowArray const& batch, ArrowRows rows, std::string const& table);

} // namespace keyswap::model
