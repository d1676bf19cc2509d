#pragma once

#include <string>
#include <string_view>

namespace keyswap {

/// The text with `value` wherever `placeholder` stands: how a table of remedies names a file or a
/// column that only its reader knows.
[[nodiscard]] inline std::string
fill_in(std::string_view text, std::string_view placeholder, std::string_view value) {
    std::string filled(text);
    for (auto at = filled.find(placeholder); at != std::string::npos;
         at = filled.find(placeholder, at + value.size())) {
        filled.replace(at, placeholder.size(), value);
    }
    return filled;
}

} // namespace keyswap
