#pragma once

/// \file Types of Arrow columns by their format strings.

#include "model/rows/arrow_abi.hpp"
#include "model/rows/row_table.hpp"

#include <string>
#include <vector>

namespace keyswap::model {

/// A column as its schema describes it.
struct ArrowColumn {
    ColumnInfo info;
    bool wide_offsets = false;   ///< large strings and large binary
    bool is_view = false;        ///< text or bytes in the form of views
    std::size_t index_bytes = 0; ///< of dictionaries' indices; 0 for other columns
    bool signed_indices = false;

    [[nodiscard]] bool is_dictionary() const { return index_bytes != 0; }
};

/// \param table what errors are about
[[nodiscard]] Expected<ArrowColumn> describe_arrow_column(ArrowSchema const& schema,
                                                          std::string const& table);

/// The columns of a record batch, or the only one of a stream of arrays.
struct ArrowColumns {
    std::vector<ArrowColumn> columns;
    bool is_record_batch = false;
};
[[nodiscard]] Expected<ArrowColumns> describe_arrow_columns(ArrowSchema const& schema,
                                                            std::string const& table);

} // namespace keyswap::model
