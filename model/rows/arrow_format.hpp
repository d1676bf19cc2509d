#pragma once

/// \file Types of Arrow columns, parsed from their format strings.

#include "model/rows/arrow_abi.hpp"
#include "model/rows/row_table.hpp"

#include <string>
#include <vector>

namespace keyswap::model {

/// A column as described by its schema.
struct ArrowColumn {
    ColumnInfo info;
    bool wide_offsets = false;   ///< 64-bit offsets: large string or large binary
    bool is_view = false;        ///< string view or binary view
    std::size_t index_bytes = 0; ///< width of dictionary indices; 0 if not a dictionary
    bool signed_indices = false;

    [[nodiscard]] bool is_dictionary() const { return index_bytes != 0; }
};

/// Error for unsupported types. \param table subject of errors
[[nodiscard]] Expected<ArrowColumn> describe_arrow_column(ArrowSchema const& schema,
                                                          std::string const& table);

/// The columns of a record batch, or the single column of a stream of arrays.
struct ArrowColumns {
    std::vector<ArrowColumn> columns;
    bool is_record_batch = false;
};
[[nodiscard]] Expected<ArrowColumns> describe_arrow_columns(ArrowSchema const& schema,
                                                            std::string const& table);

} // namespace keyswap::model
