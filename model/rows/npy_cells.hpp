#pragma once

/// \file Cells of NumPy arrays by their dtypes.

#include "model/rows/column_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::model {

/// An element of an array, or a field of its records.
struct NpyElement {
    CellType type;
    std::size_t size_bytes = 0; ///< in the array
    bool big_endian = false;
    char kind = 'V';              ///< NumPy's letter: 'b', 'i', 'u', 'f', 'S', 'U', 'V', 'M'
    std::int64_t unit_factor = 1; ///< of dates and timestamps: units of the type in one of NumPy's
    int calendar_months = 0;      ///< 1 or 12: counts months or years since 1970 instead
};

/// The type of a dtype such as "<i4", "|S8", ">U3" and "<M8[ns]". Bytes ('S') are text here; where
/// cells are not UTF-8, npy_column() makes them binary.
/// \param subject what errors are about: the file, and the field
[[nodiscard]] Expected<NpyElement> parse_npy_element(std::string_view descriptor,
                                                     std::string const& subject);

/// Elements that lie at equal distances.
struct NpyElements {
    std::byte const* first = nullptr;
    std::ptrdiff_t stride_bytes = 0;
    std::uint64_t count = 0;
};

struct NpyColumn {
    CellType type;
    ColumnBuilder::Built cells;
};

/// The cells of a column: views of little-endian numbers, dates and timestamps, copies of others.
/// NaT is a null. Zeros at the end of text and bytes belong to no cell, as in NumPy.
/// \return an error if there is a text of no Unicode, or a date that no type has
[[nodiscard]] Expected<NpyColumn>
npy_column(NpyElement const& element, NpyElements const& elements, std::string const& subject);

} // namespace keyswap::model
