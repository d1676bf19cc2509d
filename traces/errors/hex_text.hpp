#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

namespace keyswap {

/// The number in lower-case hexadecimal, with at least so many digits: "0f".
[[nodiscard]] inline std::string hex_text(std::uint64_t number, std::size_t digits_min = 1) {
    std::array<char, 16> digits{};
    auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    std::string text(digits.data(), end);
    text.insert(0, text.size() < digits_min ? digits_min - text.size() : 0, '0');
    return text;
}

} // namespace keyswap
