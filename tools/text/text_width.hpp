#pragma once

/// \file Text that fits a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace keyswap::tools {

/// Columns of the terminal behind a descriptor of this process: those that COLUMNS says, else those
/// that the terminal has, 80 if neither is known.
[[nodiscard]] std::size_t terminal_columns(int descriptor);

/// Letters of UTF-8 text; each takes a column.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// The text with each line that is wider than `columns` broken between words. Broken lines go on
/// two columns deeper than they began, and after a '#' where they began with one. A word that fits
/// no line is kept whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns);

/// The same for one paragraph whose first line begins with `first` and further ones with `indent`
/// spaces.
[[nodiscard]] std::string wrapped_after(std::string_view first,
                                        std::size_t indent,
                                        std::string_view text,
                                        std::size_t columns);

} // namespace keyswap::tools
