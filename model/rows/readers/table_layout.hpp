#pragma once

/// \file A table read from a file, and where its rows are in the file.

#include "model/rows/table/row_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A table and the layout of its rows in the file.
struct TableFile {
    RowTable table;
    bool has_types = false;                             ///< the file declares types (NumPy)
    std::string_view header = {};                       ///< everything before the rows
    std::vector<std::string_view> lines = {};           ///< CSV: rows including line ends
    std::string_view records = {};                      ///< .npy: contiguous rows
    std::size_t record_bytes = 0;                       ///< 0 if rows are not contiguous
    std::shared_ptr<std::string const> bytes = nullptr; ///< owns the bytes of the views

    /// The bytes of a row in the file; the last row of a CSV file may lack its line end. \pre row <
    /// table.row_count(); record_bytes > 0 for NumPy files
    [[nodiscard]] std::string_view row(std::uint64_t row) const {
        return has_types ? records.substr(row * record_bytes, record_bytes) : lines[row];
    }
};

} // namespace keyswap::model
