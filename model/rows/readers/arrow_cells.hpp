#pragma once

/// \file Validated access to the cells of Arrow arrays.

#include "model/rows/readers/arrow_format.hpp"
#include "model/rows/table/column_builder.hpp"

#include <cstdint>
#include <string>

namespace keyswap::model {

/// Checks the properties common to all types: lengths, offsets, number of buffers and children.
[[nodiscard]] Expected<void> check_array(ArrowArray const& array,
                                         std::int64_t buffers_min,
                                         std::int64_t children,
                                         std::string const& subject);

/// Rows of an array that belong to a record batch.
struct ArrowRows {
    std::uint64_t first = 0; ///< includes the array's own offset
    std::uint64_t count = 0;
};

/// Cells of one column, which own their memory if they had to be copied.
/// \param rows rows of the record batch; the column adds its own offset
[[nodiscard]] Expected<ColumnChunk> column_cells(ArrowColumn const& column,
                                                 ArrowArray const& array,
                                                 ArrowRows rows,
                                                 std::string const& table);

/// Returns an error if an entire row of a record batch is null, since it has no cells to compare.
[[nodiscard]] Expected<void>
check_whole_rows(ArrowArray const& batch, ArrowRows rows, std::string const& table);

} // namespace keyswap::model
