#pragma once

/// \file Into how many a segment is divided on its own GPU. Plain C++.

#include <bit>
#include <cstdint>

namespace keyswap::kernels {

inline constexpr int local_ways_bits_max = 8;

/// Ways of as few levels as can be, all alike, after which leaves have 0.3 to 0.6 of the largest
/// size on average; a power of two. Unequal levels would end with segments of a tile or two. With a
/// border at a half, segments that are as many of 2^q keys, each a little more or less, would have
/// leaves of two sizes, half of them small. Two thirds on average are taken where that saves a
/// level: one leaf in a hundred is divided again then.
/// \param leaf largest leaf \pre count > leaf
[[nodiscard]] constexpr std::uint32_t local_ways(std::uint64_t count, std::uint32_t leaf) {
    auto const bits_of = [](std::uint64_t leaves) {
        return static_cast<int>(std::bit_width(leaves - 1));
    };
    int const least_bits = bits_of((3 * count + 2 * leaf - 1) / (2 * leaf));
    int const levels = (least_bits + local_ways_bits_max - 1) / local_ways_bits_max;
    int const bits = bits_of((5 * count + 3 * leaf - 1) / (3 * leaf));
    int const bits_a_level = (bits + levels - 1) / levels;
    return 1U << (bits_a_level < local_ways_bits_max ? bits_a_level : local_ways_bits_max);
}

} // namespace keyswap::kernels
