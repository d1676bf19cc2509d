#pragma once

/// \file Orders that other programs give to cells.

#include "model/rows/row_order.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::model {

enum class CellReading {
    plain,        ///< as the order has it
    without_case, ///< ASCII letters of either case are equal
    by_letters,   ///< as dictionaries do: letters without case and accents, digits, nothing else
    as_text,      ///< numbers and dates by their text
    as_numbers,   ///< text by the numbers within it
    as_unsigned,  ///< signed numbers by their bits
    by_magnitude  ///< signed numbers without their sign
};

/// A key column, ordered in another way.
struct KeyVariant {
    ColumnOrder order;
    CellReading reading = CellReading::plain;
};

/// Whether a reading can differ from the plain one for cells of a type.
[[nodiscard]] bool is_reading_of(CellReading reading, CellType const& type);

/// The order of two rows.
[[nodiscard]] std::strong_ordering
compare_by(std::span<KeyVariant const> keys, RowTable::Place const& a, RowTable::Place const& b);

/// How rows stand by some keys.
struct VariantSteps {
    bool sorted = true;       ///< false: no more is known
    std::uint64_t rising = 0; ///< neighbours that differ
};
[[nodiscard]] VariantSteps steps_by(std::span<KeyVariant const> keys, RowTable const& table);

/// Letters of text as dictionaries order them.
[[nodiscard]] std::string letters_of(std::string_view text);

} // namespace keyswap::model
