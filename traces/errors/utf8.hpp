#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace keyswap {

/// Length in bytes of the leading character; 0 if it is not well-formed (Unicode's table 3-7) or
/// truncated. \pre text is not empty
[[nodiscard]] std::size_t utf8_character_size(std::string_view text);

/// True if all characters are well-formed UTF-8; true if empty.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Appends a code point. \return false if it is not a valid one
[[nodiscard]] bool append_utf8(std::string& text, std::uint32_t code);

} // namespace keyswap
