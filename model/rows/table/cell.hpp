#pragma once

/// \file Single cells as numbers and as text.

#include "model/keys/wide_integer.hpp"
#include "model/rows/table/cell_type.hpp"
#include "model/rows/table/column_chunk.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::model {

/// Address of a fixed-size cell.
[[nodiscard]] inline std::byte const* cell_of(ColumnChunk const& chunk, std::uint64_t row) {
    return chunk.cells + chunk.stride_bytes * static_cast<std::ptrdiff_t>(row);
}

/// An integer sign-extended to 64 bits, or the bits of a float converted to double. \pre neither
/// null nor decimal nor text
[[nodiscard]] std::uint64_t
word_of(CellType const& type, ColumnChunk const& chunk, std::uint64_t row);

/// \pre a decimal cell that is not null
[[nodiscard]] inline int128 decimal_of(ColumnChunk const& chunk, std::uint64_t row) {
    return load<int128>(cell_of(chunk, row));
}

/// The cell formatted as by RowTable::text(); nullopt for a null.
[[nodiscard]] std::optional<std::string>
cell_text(CellType const& type, ColumnChunk const& chunk, std::uint64_t row);

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar; may be negative.
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
[[nodiscard]] std::int64_t days_of_date(std::int64_t year, unsigned month, unsigned day);

inline constexpr std::int64_t ms_per_day = 86'400'000;

/// Ticks of the unit per second: 1, 1,000, ...
[[nodiscard]] std::int64_t units_per_second(TimeUnit unit);

} // namespace keyswap::model
