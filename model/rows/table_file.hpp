#pragma once

/// \file Tables from files: CSV, and NumPy's `.npy` and `.npz`.

#include "model/rows/csv_table.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A table and its rows as they lie in the file.
struct TableFile {
    RowTable table;
    bool has_types = false;                             ///< the file says them: it is NumPy's
    std::string_view header = {};                       ///< what comes before the rows
    std::vector<std::string_view> lines = {};           ///< of CSV: rows with their line ends
    std::string_view records = {};                      ///< of .npy: rows, one after the other
    std::size_t record_bytes = 0;                       ///< 0 where rows do not lie so
    std::shared_ptr<std::string const> bytes = nullptr; ///< what the views are of

    /// A row as it lies in the file; CSV's last one may lack its line end.
    /// \pre row < table.row_count(), and of NumPy's files record_bytes > 0
    [[nodiscard]] std::string_view row(std::uint64_t row) const {
        return has_types ? records.substr(row * record_bytes, record_bytes) : lines[row];
    }
};

/// Reads a table, decompressed: by their first bytes `.npy` (parse_npy_table()) and `.npz`
/// (parse_npz_table()), whatever the options say, else CSV (parse_csv_table()). Files of other
/// programs are refused with what makes one of them.
/// \return an error, too, if the schema has a column of another type than a NumPy array
[[nodiscard]] Expected<TableFile> read_table_file(std::filesystem::path const& path,
                                                  CsvTableOptions const& options);

} // namespace keyswap::model
