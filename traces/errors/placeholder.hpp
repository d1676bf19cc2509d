#pragma once

#include <string>
#include <string_view>

namespace keyswap {

/// Replaces every `placeholder` in the text by `value`. Tables of remedies use placeholders for
/// file and column names, which are known only at run time.
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
