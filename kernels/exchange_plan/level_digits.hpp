#pragma once

/// \file Widths of the MSD digits that divide keys level by level until a block can sort the rest.
/// Plain C++.

#include "kernels/primitives/leaves/leaf_sizes.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Widest digit of a level, in bits.
inline constexpr int level_digit_bits_max = 9;
/// Most ranges of images that one scatter distinguishes.
inline constexpr std::size_t scatter_ranges_max = std::size_t{1} << level_digit_bits_max;
/// Bits that divide `count` evenly distributed keys into leaves of a third to two thirds of the
/// largest size. \pre count > leaf
[[nodiscard]] int bits_to_leaves(std::uint64_t count, std::uint32_t leaf);
/// Levels after which evenly distributed keys hardly ever exceed a leaf: the mean leaf leaves room
/// for four standard deviations. \pre count > leaf
[[nodiscard]] int levels_to_leaves(std::uint64_t count, std::uint32_t leaf);
/// Most keys that one level divides with hardly any oversized leaf.
[[nodiscard]] std::uint64_t keys_of_one_level(std::uint32_t leaf);
/// Bits of the first of levels_to_leaves() levels. Leaves are at most two thirds full unless that
/// takes another level. The first level has the odd bit: children with twice as many keys as others
/// can then have one bit more at the next level, and need no further one.
[[nodiscard]] int bits_of_level(std::uint64_t count, std::uint32_t leaf);

} // namespace keyswap::kernels
