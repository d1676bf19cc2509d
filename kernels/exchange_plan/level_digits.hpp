#pragma once

/// \file Of how many bits the digits are that divide keys from the highest bit on until a block can
/// sort what is left. Plain C++.

#include "kernels/primitives/leaves/leaf_sizes.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Bits of the widest digit of a level.
inline constexpr int level_digit_bits_max = 9;
/// Ranges of images that one scatter distinguishes.
inline constexpr std::size_t scatter_ranges_max = std::size_t{1} << level_digit_bits_max;
/// Bits that divide so many keys, if they are spread evenly, into leaves of a third to two thirds
/// of the largest size. \pre count > leaf
[[nodiscard]] int bits_to_leaves(std::uint64_t count, std::uint32_t leaf);
/// Levels after which hardly a leaf is above the largest size, if keys are spread evenly: four
/// standard deviations more than the mean have room. \pre count > leaf
[[nodiscard]] int levels_to_leaves(std::uint64_t count, std::uint32_t leaf);
/// The most keys that one level divides with hardly a leaf too large.
[[nodiscard]] std::uint64_t keys_of_one_level(std::uint32_t leaf);
/// Bits of the first of so few levels. Leaves are two thirds full at most where that needs no
/// further level.
[[nodiscard]] int bits_of_level(std::uint64_t count, std::uint32_t leaf);

} // namespace keyswap::kernels
