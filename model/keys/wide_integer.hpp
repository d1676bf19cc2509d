#pragma once

/// \file 128-bit intermediate results of 64-bit fixed-point arithmetic.

#include <cstdint>

namespace keyswap::model {

__extension__ using uint128 = unsigned __int128;

/// 2^64, the end of the unit interval in 64-bit fixed point.
inline constexpr uint128 two_to_64 = uint128{1} << 64;

/// Upper 64 bits of a product.
[[nodiscard]] constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>((uint128{a} * b) >> 64);
}

/// (a * b) >> 64 for a 128-bit b. \pre the result fits 64 bits
[[nodiscard]] constexpr std::uint64_t multiply_wide(std::uint64_t a, uint128 b) {
    return a * static_cast<std::uint64_t>(b >> 64) +
           multiply_high(a, static_cast<std::uint64_t>(b));
}

} // namespace keyswap::model
