#pragma once

/// \file Reads tables from files: CSV, and NumPy's `.npy` and `.npz`.

#include "model/rows/readers/csv_table.hpp"

#include <filesystem>

namespace keyswap::model {

/// Reads and decompresses a table. `.npy` and `.npz` are detected by their first bytes,
/// whatever the options; everything else is CSV. Files of other programs give an error with a
/// remedy.
/// \return also an error if the schema contradicts the type of a NumPy column
[[nodiscard]] Expected<TableFile> read_table_file(std::filesystem::path const& path,
                                                  CsvTableOptions const& options);

} // namespace keyswap::model
