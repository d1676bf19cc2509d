#pragma once

/// \file Types of columns of tables.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class CellKind {
    null,             ///< a column of nulls only, whose type nobody knows
    boolean,          ///< a bit each
    signed_integer,   ///< 1, 2, 4 or 8 bytes
    unsigned_integer, ///< 1, 2, 4 or 8 bytes
    floating,         ///< 2, 4 or 8 bytes
    decimal,          ///< 16 bytes, a signed integer times 10^-scale
    date,             ///< days (4 bytes) or milliseconds (8 bytes) since 1970-01-01
    timestamp,        ///< 8 bytes, units since 1970-01-01, in UTC where there is a time zone
    utf8,             ///< text, ordered by its bytes
    binary            ///< bytes
};

enum class TimeUnit { seconds, milliseconds, microseconds, nanoseconds };

/// The type of a column's cells.
struct CellType {
    CellKind kind = CellKind::null;
    std::size_t size_bytes = 0;        ///< of a cell; 0 for nulls, booleans, text and bytes
    TimeUnit unit = TimeUnit::seconds; ///< of timestamps
    std::string time_zone = {};        ///< of timestamps; empty if they have none
    int precision = 0;                 ///< of decimals: digits
    int scale = 0;                     ///< of decimals: digits after the point
    friend bool operator==(CellType const&, CellType const&) = default;

    /// Whether cells are text or bytes of any length.
    [[nodiscard]] bool is_sequence() const {
        return kind == CellKind::utf8 || kind == CellKind::binary;
    }
};

/// "int64", "timestamp[us, UTC]", "decimal(12, 2)": as `--schema` takes it.
[[nodiscard]] std::string to_string(CellType const& type);
/// The inverse; also "i64", "string", "double" and other usual names.
[[nodiscard]] Expected<CellType> parse_cell_type(std::string_view text);

} // namespace keyswap::model
