#pragma once

/// \file Reads tables from NumPy's `.npy` and `.npz` files.

#include "model/rows/readers/table_layout.hpp"

#include <memory>
#include <string>

namespace keyswap::model {

/// Reads a `.npy` file. A structured array has one column per field; a 1-D array has one column
/// "1", a 2-D array columns "1", "2" ... Numbers are views of `bytes`, which the table shares.
/// Returns an error for other shapes, nested fields, and elements other than numbers, text, dates
/// and timestamps.
/// \param name subject of errors
[[nodiscard]] Expected<TableFile> parse_npy_table(std::shared_ptr<std::string const> const& bytes,
                                                  std::string const& name);

/// Reads a `.npz` file: each 1-D array is a column of that name, and all have the same length. An
/// archive of a single array is read like its `.npy`.
[[nodiscard]] Expected<TableFile> parse_npz_table(std::shared_ptr<std::string const> const& bytes,
                                                  std::string const& name);

} // namespace keyswap::model
