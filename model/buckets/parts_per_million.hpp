#pragma once

#include <cstdint>

namespace keyswap::model {

/// floor(whole * ppm / 1e6), exact for any 64-bit `whole`. \pre ppm <= 1e6
[[nodiscard]] constexpr std::uint64_t parts_per_million(std::uint64_t whole, std::uint32_t ppm) {
    // whole = q * 1e6 + r, so that neither product overflows 64 bits.
    constexpr std::uint64_t million = 1'000'000;
    return whole / million * ppm + whole % million * ppm / million;
}

} // namespace keyswap::model
