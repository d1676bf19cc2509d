#pragma once

/// \file Fits text to a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Terminal width of a descriptor: the environment variable COLUMNS, else the terminal's width, but
/// at least 40; 80 if both are unknown.
[[nodiscard]] std::size_t terminal_columns(int descriptor);

/// True unless the byte continues a UTF-8 character: 10xxxxxx.
[[nodiscard]] constexpr bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// Number of code points of UTF-8 text; each is assumed to take one column.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// Breaks lines wider than `columns` between words. Continuation lines are indented by two more
/// columns than the broken line, and repeat its leading '#' if it has one. A word longer than a
/// line is not broken.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns);

/// Wraps one paragraph whose first line begins with `first` and whose other lines are indented by
/// `indent` spaces.
[[nodiscard]] std::string wrapped_after(std::string_view first,
                                        std::size_t indent,
                                        std::string_view text,
                                        std::size_t columns);

} // namespace keyswap::tools
