#pragma once

/// \file Alternative orders of cells, as other programs use them.

#include "model/rows/row_order.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace keyswap::model {

enum class CellReading {
    plain,        ///< as specified by the order
    without_case, ///< text, ignoring the case of ASCII letters
    by_letters,   ///< text as in dictionaries: letters (without case, accents) and digits only
    as_text,      ///< numbers and dates compared as text
    as_numbers,   ///< text compared by the numbers in it
    as_unsigned,  ///< signed numbers compared by their bits
    by_magnitude  ///< signed numbers compared by absolute value
};

/// A key column under an alternative order.
struct KeyVariant {
    ColumnOrder order;
    CellReading reading = CellReading::plain;
};

/// True if a reading can differ from the plain one for cells of this type.
[[nodiscard]] bool is_reading_of(CellReading reading, CellType const& type);

/// Compares two rows by the given keys.
[[nodiscard]] std::strong_ordering
compare_by(std::span<KeyVariant const> keys, RowTable::Place const& a, RowTable::Place const& b);

/// Adjacent rows that differ; nullopt if the table is not sorted by the keys.
[[nodiscard]] std::optional<std::uint64_t> rising_steps(std::span<KeyVariant const> keys,
                                                        RowTable const& table);

} // namespace keyswap::model
