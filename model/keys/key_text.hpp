#pragma once

/// \file Keys as text: the rows of one-column CSV files.

#include "traces/errors/input_error.hpp"
#include "traces/records/key_type.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::model {

/// The text without the spaces, tabs and carriage returns around it.
[[nodiscard]] std::string_view without_blanks(std::string_view text);

/// The header that the first row of a file is, without blanks and quotation marks around it;
/// nullopt if the row is to be read as a key. A row that is neither is refused, so that no key is
/// lost as a header: a header begins with a letter and is no value that does, such as NULL or a
/// date. The error's subject is left empty for the caller, who knows file and row.
[[nodiscard]] Expected<std::optional<std::string>> heading_of(std::string_view row, KeyType type);

/// Parses a row, blanks around it aside, into the key's bytes in this machine's order. Floats may
/// be "nan" and "inf", and whole numbers have an exponent. The error's subject is left empty for
/// the caller, who knows file and row. \pre key.size() == key_size_bytes(type)
[[nodiscard]] Expected<void>
parse_key(std::string_view row, KeyType type, std::span<std::byte> key);

/// The shortest text that parse_key() turns into the same key; NaNs lose their payload.
/// \pre key.size() == key_size_bytes(type)
void append_key(std::string& text, KeyType type, std::span<std::byte const> key);
/// As append_key(), on its own.
[[nodiscard]] std::string key_text(KeyType type, std::span<std::byte const> key);

} // namespace keyswap::model
