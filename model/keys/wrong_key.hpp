#pragma once

/// \file Why a text is no key, and what to write in its place.

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

/// What a text was: a row, in which a comma may end a column, or a single cell.
enum class KeyExtent { row, cell };

/// Names what the text is, such as a number with thousands separators or a date. The error's
/// subject is left empty for the caller, who knows file and row.
/// \pre the text, which has no blanks around it, is no key of the type
[[nodiscard]] InputError
wrong_key(std::string_view text, KeyType type, KeyExtent extent = KeyExtent::row);

/// The decimal digits of a whole number that is written with an exponent, as R writes it, or with a
/// fraction of zeros: "-100000" of "-1e+05", "5" of "5.0". `nullopt` for other texts, and for
/// numbers that are not whole.
[[nodiscard]] std::optional<std::string> digits_of_whole(std::string_view text);

/// Whether a text that begins with a letter is a value rather than a column's name: a word for a
/// missing one, a date, an amount with its currency, or what begins like an address or a UUID.
[[nodiscard]] bool is_value_with_letters(std::string_view text, KeyType type);

} // namespace keyswap::model
