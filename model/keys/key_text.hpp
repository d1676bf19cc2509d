#pragma once

/// \file Keys as text: the rows of one-column CSV files.

#include "traces/input_error.hpp"
#include "traces/key_type.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace keyswap::model {

/// Whether the first row of a file is a heading: it does not start as a number does.
[[nodiscard]] bool is_heading(std::string_view row);

/// Parses a row, blanks around it aside, into the key's bytes in this machine's order. Floats may
/// be "nan" and "inf". The error's subject is left empty for the caller, who knows file and row.
/// \pre key.size() == key_size_bytes(type)
[[nodiscard]] Expected<void>
parse_key(std::string_view row, KeyType type, std::span<std::byte> key);

/// The shortest text that parse_key() turns into the same key; NaNs lose their payload.
/// \pre key.size() == key_size_bytes(type)
void append_key(std::string& text, KeyType type, std::span<std::byte const> key);
/// As append_key(), on its own.
[[nodiscard]] std::string key_text(KeyType type, std::span<std::byte const> key);

} // namespace keyswap::model
