#pragma once

/// \file The bin of a leaf's key: a block uses bins of equal width between the leaf's smallest and
/// largest key, ascending, with about one key each. Plain C++.

#include "traces/records/digest.hpp"

#include <bit>
#include <cstdint>

namespace keyswap::kernels {

/// Maps keys to bins of equal width, starting at `low`. \tparam Key unsigned, of 4 or 8 bytes
template <class Key>
struct BinScale {
    Key low = 0;              ///< smallest key
    int shift = 0;            ///< distances are shifted right by this much to fit 32 bits
    std::uint32_t factor = 0; ///< bins per 2^32 shifted distances; 0: one bin per distance

    /// True if all keys of a bin are equal.
    [[nodiscard]] KEYSWAP_HOST_DEVICE bool is_exact() const { return shift == 0 && factor == 0; }
    /// \pre key >= low
    [[nodiscard]] KEYSWAP_HOST_DEVICE std::uint32_t bin_of(Key key) const {
        auto const distance = static_cast<std::uint32_t>(static_cast<Key>(key - low) >> shift);
        return factor == 0 ? distance
                           : static_cast<std::uint32_t>(std::uint64_t{distance} * factor >> 32);
    }
};

[[nodiscard]] KEYSWAP_HOST_DEVICE inline int bits_of(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
    return 32 - __clz(static_cast<int>(word));
#else
    return std::bit_width(word);
#endif
}

/// \param highest largest key, at least low \param bins 2 to 2^16
template <class Key>
[[nodiscard]] KEYSWAP_HOST_DEVICE BinScale<Key>
bin_scale(Key low, Key highest, std::uint32_t bins) {
    std::uint64_t const range = static_cast<Key>(highest - low);
    auto const upper = static_cast<std::uint32_t>(range >> 32);
    BinScale<Key> scale{low, bits_of(upper), 0};
    auto const distances = static_cast<std::uint32_t>(range >> scale.shift); // largest distance
    if (distances >= bins) {
        // Slightly below bins * 2^32 / distances, so that rounding never exceeds the last bin.
        constexpr float just_below = 4294967296.0F * (1.0F - 1.0F / 65536.0F / 4.0F);
        scale.factor = static_cast<std::uint32_t>(static_cast<float>(bins) * just_below /
                                                  static_cast<float>(distances));
    }
    return scale;
}

} // namespace keyswap::kernels
