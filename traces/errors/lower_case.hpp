#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace keyswap {

/// Converts A to Z to lower case in any locale; returns other bytes unchanged.
[[nodiscard]] constexpr char lower_case(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](char letter) { return lower_case(letter); });
    return lower;
}

} // namespace keyswap
