#pragma once

/// \file Types of Arrow columns, parsed from their format strings.

#include "model/rows/readers/arrow_abi.hpp"
#include "model/rows/table/row_table.hpp"

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

/// \param subject table and column, for the error
[[nodiscard]] tl::unexpected<InputError> malformed_export(std::string subject, std::string problem);

/// The columns of a record batch, or the single column of a stream of arrays.
struct ArrowColumns {
    std::vector<ArrowColumn> columns;
    bool is_record_batch = false;
};
/// Error for unsupported types. \param table subject of errors
[[nodiscard]] Expected<ArrowColumns> describe_arrow_columns(ArrowSchema const& schema,
                                                            std::string const& table);

} // namespace keyswap::model
