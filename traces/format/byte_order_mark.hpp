#pragma once

/// \file The byte order mark that some programs write in front of UTF-8 text.

#include <string_view>

namespace keyswap {

inline constexpr std::string_view utf8_byte_order_mark = "\xef\xbb\xbf";

/// Text from the beginning of a file, without the mark if it has one.
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) {
    return text.starts_with(utf8_byte_order_mark) ? text.substr(utf8_byte_order_mark.size()) : text;
}

} // namespace keyswap
