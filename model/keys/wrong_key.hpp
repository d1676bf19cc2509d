#pragma once

/// \file Explains why a text is not a key, and what to write instead.

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

/// Origin of the text: a row, in which a comma may separate columns, or a single cell.
enum class KeyExtent { row, cell };

/// Describes what the text is instead, such as a number with thousands separators or a date. The
/// error has an empty subject; the caller adds file and row.
/// \pre the text has no surrounding blanks and is not a key of the type
[[nodiscard]] InputError
wrong_key(std::string_view text, KeyType type, KeyExtent extent = KeyExtent::row);

/// The decimal digits of an integer written with an exponent, as R does, or with a zero
/// fraction: "-100000" of "-1e+05", "5" of "5.0". `nullopt` for other texts and for fractional
/// numbers.
[[nodiscard]] std::optional<std::string> digits_of_whole(std::string_view text);

/// True if a text that begins with a letter is a value rather than a column's name: a marker of a
/// missing value, a date, an amount with a currency, or the beginning of an address or a UUID.
[[nodiscard]] bool is_value_with_letters(std::string_view text, KeyType type);

} // namespace keyswap::model
