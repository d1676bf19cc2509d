#pragma once

/// \file The byte order mark that some programs write before UTF-8 text.

#include <string_view>

namespace keyswap {

inline constexpr std::string_view utf8_byte_order_mark = "\xef\xbb\xbf";

/// \param text the beginning of a file; returned without its mark, if any
[[nodiscard]] constexpr std::string_view without_byte_order_mark(std::string_view text) {
    return text.starts_with(utf8_byte_order_mark) ? text.substr(utf8_byte_order_mark.size()) : text;
}

} // namespace keyswap
