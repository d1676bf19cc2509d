#pragma once

/// \file 128-bit integers: keys, images and intermediate results of 64-bit fixed-point arithmetic.

#include "traces/records/key_image.hpp"

#include <cstdint>
#include <type_traits>

namespace keyswap::model {

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

[[nodiscard]] constexpr uint128 wide(KeyImage image) {
    return (uint128{image.high} << 64) | image.low;
}
[[nodiscard]] constexpr KeyImage key_image(uint128 image) {
    return {static_cast<std::uint64_t>(image >> 64), static_cast<std::uint64_t>(image)};
}
/// 2^bits - 1. \pre 1 <= bits <= 128
[[nodiscard]] constexpr uint128 largest_image_of_bits(int bits) {
    return ~uint128{0} >> (128 - bits);
}

/// The word used to compare and search images: 64 bits for images up to 64 bits, else 128.
template <class Image>
using SearchWord = std::conditional_t<sizeof(Image) <= 8, std::uint64_t, uint128>;

/// 2^64, the end of the unit interval in 64-bit fixed point.
inline constexpr uint128 two_to_64 = uint128{1} << 64;

/// Upper 64 bits of the 128-bit product.
[[nodiscard]] constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>((uint128{a} * b) >> 64);
}

/// (a * b) >> 64 for a 128-bit b. \pre the result fits 64 bits
[[nodiscard]] constexpr std::uint64_t multiply_wide(std::uint64_t a, uint128 b) {
    return a * static_cast<std::uint64_t>(b >> 64) +
           multiply_high(a, static_cast<std::uint64_t>(b));
}

} // namespace keyswap::model
