#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace keyswap {

/// The little-endian integer at an offset; 0 if it extends beyond the bytes. \pre size <= 8
[[nodiscard]] constexpr std::uint64_t
little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i > 0 && at + size <= bytes.size(); --i) {
        value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
    }
    return value;
}

} // namespace keyswap
