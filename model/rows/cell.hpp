#pragma once

/// \file Single cells as numbers and text.

#include "model/keys/wide_integer.hpp"
#include "model/rows/cell_type.hpp"
#include "model/rows/column_chunk.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::model {

/// Where a cell of fixed size lies.
[[nodiscard]] inline std::byte const* cell_of(ColumnChunk const& chunk, std::uint64_t row) {
    return chunk.cells + chunk.stride_bytes * static_cast<std::ptrdiff_t>(row);
}

/// A whole number, sign-extended to 64 bits; a float's bits as a double. \pre no null, no decimal,
/// no text
[[nodiscard]] std::uint64_t
word_of(CellType const& type, ColumnChunk const& chunk, std::uint64_t row);

/// \pre a decimal that is no null
[[nodiscard]] inline int128 decimal_of(ColumnChunk const& chunk, std::uint64_t row) {
    return load<int128>(cell_of(chunk, row));
}

/// The double of the same value, bit for bit the same order, of a float of 16 bits.
[[nodiscard]] double double_of_half(std::uint16_t bits);

/// As RowTable::text() has it; nullopt for a null.
[[nodiscard]] std::optional<std::string>
cell_text(CellType const& type, ColumnChunk const& chunk, std::uint64_t row);

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar.
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
[[nodiscard]] std::int64_t days_of_date(std::int64_t year, unsigned month, unsigned day);

inline constexpr std::int64_t ms_per_day = 86'400'000;

/// Units in a second: 1, 1,000 ...
[[nodiscard]] std::int64_t units_per_second(TimeUnit unit);

} // namespace keyswap::model
