#pragma once

#include <string>
#include <string_view>

namespace keyswap {

/// Text from a file or an option as it may be shown in one line of a terminal or a page: every
/// character that a terminal would obey is written as an escape. These are the control characters
/// ("\n", "\x1b"), Unicode's line separators and its marks that turn the direction of writing
/// ("\u202e"), and bytes that are no UTF-8 ("\xff"). All others stay as they are, so that a text
/// without such characters is returned unchanged.
[[nodiscard]] std::string printable_text(std::string_view text);

} // namespace keyswap
