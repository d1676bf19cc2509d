#pragma once

#include <string>
#include <string_view>

namespace keyswap {

/// Makes text from a file or an option safe to print on one line of a terminal or a page: escapes
/// every character that a terminal would interpret. These are control characters ("\n", "\x1b"),
/// Unicode line separators and bidirectional control characters ("\u202e"), and bytes that are
/// not valid UTF-8 ("\xff"). All other characters are copied, so that ordinary text is returned
/// unchanged.
[[nodiscard]] std::string printable_text(std::string_view text);

} // namespace keyswap
