#pragma once

/// \file 128-bit values as text: integers, as std::from_chars and std::to_chars do for narrower
/// ones, and 16 bytes.

#include "model/keys/wide_integer.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

[[nodiscard]] std::from_chars_result from_chars(char const* begin, char const* end, uint128& value);
[[nodiscard]] std::from_chars_result from_chars(char const* begin, char const* end, int128& value);
/// \pre the buffer holds 40 characters
std::to_chars_result to_chars(char* begin, char* end, uint128 value);
std::to_chars_result to_chars(char* begin, char* end, int128 value);

/// 16 bytes, the first one most significant, from 32 hexadecimal digits, a UUID (the same digits
/// with dashes after 8, 12, 16 and 20), or an IPv6 address. nullopt for any other text.
[[nodiscard]] std::optional<uint128> parse_bytes(std::string_view text);
/// 32 lower-case hexadecimal digits.
[[nodiscard]] std::string bytes_text(uint128 value);

} // namespace keyswap::model
