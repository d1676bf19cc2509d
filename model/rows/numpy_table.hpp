#pragma once

/// \file Tables from NumPy's `.npy` and `.npz` files.

#include "model/rows/row_table.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace keyswap::model {

/// A table and how its rows lie in the file.
struct NumpyTable {
    RowTable table;
    std::string_view header = {}; ///< of the only array
    std::string_view rows = {};   ///< all of them, one after the other
    std::size_t row_bytes = 0;    ///< 0 if rows do not lie so: several arrays, Fortran's order
};

/// Reads a `.npy` file. Fields of a structured array are columns by their names; an array of one
/// dimension is a column "1", one of two has its columns "1", "2" ... Numbers are views of the
/// bytes, which the table shares. Arrays of other shapes, fields within fields, and elements that
/// are no numbers, text, dates or timestamps are refused.
/// \param name what errors are about
[[nodiscard]] Expected<NumpyTable> parse_npy_table(std::shared_ptr<std::string const> const& bytes,
                                                   std::string const& name);

/// Reads a `.npz` file: each array of one dimension is a column by its name, and all have one
/// length. An archive of one array alone is the table that the array is.
[[nodiscard]] Expected<NumpyTable> parse_npz_table(std::shared_ptr<std::string const> const& bytes,
                                                   std::string const& name);

} // namespace keyswap::model
