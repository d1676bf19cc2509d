#pragma once

/// \file Types of table columns.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class CellKind {
    null,             ///< only nulls; the type is unknown
    boolean,          ///< one bit per cell
    signed_integer,   ///< 1, 2, 4 or 8 bytes
    unsigned_integer, ///< 1, 2, 4 or 8 bytes
    floating,         ///< 2, 4 or 8 bytes
    decimal,          ///< 16 bytes, a signed integer times 10^-scale
    date,             ///< days (4 bytes) or milliseconds (8 bytes) since 1970-01-01
    timestamp,        ///< 8 bytes, units since 1970-01-01; UTC if a time zone is given
    utf8,             ///< text in byte order
    binary            ///< bytes
};

enum class TimeUnit { seconds, milliseconds, microseconds, nanoseconds };

/// The type of a column's cells.
struct CellType {
    CellKind kind = CellKind::null;
    std::size_t size_bytes = 0;        ///< per cell; 0 for null, boolean, text and bytes
    TimeUnit unit = TimeUnit::seconds; ///< of timestamps
    std::string time_zone = {};        ///< of timestamps; empty if absent
    int precision = 0;                 ///< of decimals: number of digits
    int scale = 0;                     ///< of decimals: digits after the point
    friend bool operator==(CellType const&, CellType const&) = default;

    /// True for text and bytes, which have variable length.
    [[nodiscard]] bool is_sequence() const {
        return kind == CellKind::utf8 || kind == CellKind::binary;
    }
};

/// "int64", "timestamp[us, UTC]", "decimal(12, 2)": the syntax of `--schema`.
[[nodiscard]] std::string to_string(CellType const& type);
/// The inverse of to_string(); also accepts "i64", "string", "double" and other common names.
[[nodiscard]] Expected<CellType> parse_cell_type(std::string_view text);

} // namespace keyswap::model
