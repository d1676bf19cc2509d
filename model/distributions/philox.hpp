#pragma once

/// \file The generator Philox4x32 with 10 rounds. Source: Salmon, Moraes, Dror, Shaw: Parallel
/// random numbers: as easy as 1, 2, 3 (SC 2011).

#include <array>
#include <cstdint>

namespace keyswap::model {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// One application of Philox4x32-10: four random words.
[[nodiscard]] constexpr PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
    constexpr std::uint64_t multiplier_0 = 0xD2511F53U;
    constexpr std::uint64_t multiplier_1 = 0xCD9E8D57U;
    constexpr std::uint32_t weyl_0 = 0x9E3779B9U; // golden ratio
    constexpr std::uint32_t weyl_1 = 0xBB67AE85U; // sqrt(3) - 1
    for (int round = 0; round < 10; ++round) {
        std::uint64_t const product_0 = multiplier_0 * counter[0];
        std::uint64_t const product_1 = multiplier_1 * counter[2];
        counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(product_1),
                   static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(product_0)};
        key[0] += weyl_0;
        key[1] += weyl_1;
    }
    return counter;
}

} // namespace keyswap::model
