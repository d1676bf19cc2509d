#pragma once

/// \file Keys as text, as in the rows of one-column CSV files.

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::model {

/// The text without leading and trailing spaces, tabs and carriage returns.
[[nodiscard]] std::string_view without_blanks(std::string_view text);

/// The header in the first row of a file, without surrounding blanks and quotation marks;
/// nullopt if the row must be parsed as a key. A row that is neither gives an error, so that no key
/// is skipped as a header: a header begins with a letter and is not a value such as NULL or a date.
/// The error has an empty subject; the caller adds file and row.
[[nodiscard]] Expected<std::optional<std::string>> header_of(std::string_view row, KeyType type);

/// Parses a row, ignoring surrounding blanks, into the key's bytes in native byte order. Floats may
/// be "nan" or "inf", and integers may have an exponent. The error has an empty subject; the caller
/// adds file and row. \pre key.size() == key_size_bytes(type)
[[nodiscard]] Expected<void>
parse_key(std::string_view row, KeyType type, std::span<std::byte> key);

/// The shortest text from which parse_key() restores the key; NaNs lose their payload.
/// \pre key.size() == key_size_bytes(type)
void append_key(std::string& text, KeyType type, std::span<std::byte const> key);
/// Like append_key(), as a new string.
[[nodiscard]] std::string key_text(KeyType type, std::span<std::byte const> key);

} // namespace keyswap::model
