#pragma once

/// \file Cells of NumPy arrays, interpreted by dtype.

#include "model/rows/table/column_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap::model {

/// Element type of an array, or of a field of a structured array.
struct NpyElement {
    CellType type;
    std::size_t size_bytes = 0; ///< size in the array
    bool big_endian = false;
    char kind = 'V';              ///< NumPy's letter: 'b', 'i', 'u', 'f', 'S', 'U', 'V', 'M'
    std::int64_t unit_factor = 1; ///< dates and timestamps: units of `type` per NumPy unit
    int calendar_months = 0;      ///< 1 or 12: counts months or years since 1970; else 0
};

/// Parses a dtype such as "<i4", "|S8", ">U3" or "<M8[ns]". Bytes ('S') become text; if cells are
/// not UTF-8, npy_column() makes them binary.
/// \param subject file and field, for errors
[[nodiscard]] Expected<NpyElement> parse_npy_element(std::string_view descriptor,
                                                     std::string const& subject);

struct NpyColumn {
    CellType type;
    ColumnChunk cells;
};

/// The cells of a column: little-endian numbers, dates and timestamps are views, others are copied.
/// NaT becomes a null. Trailing zeros of text and bytes are removed, as in NumPy.
/// \param stored elements as in the file, whatever their type
/// \return an error for text that is not Unicode, or for a date out of range
[[nodiscard]] Expected<NpyColumn> npy_column(NpyElement const& element,
                                             ColumnChunk const& stored,
                                             std::uint64_t count,
                                             std::string const& subject);

} // namespace keyswap::model
