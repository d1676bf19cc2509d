#pragma once

/// \file Sizes of stretches, of 32-bit keys that agree in all but their lowest 15 bits, and of what
/// a block takes of them.

#include "kernels/primitives/segmented_sort.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Values of a stretch.
inline constexpr std::uint32_t stretch_values = 1U << counting_bits;
/// Keys of a tile that is counted: clearing and adding up its counters takes a fifth of the time.
inline constexpr std::uint32_t stretch_tile_keys = 1U << 19;
/// Keys whose counts fit 16 bits: a block keeps them all.
inline constexpr std::uint32_t narrow_stretch_keys = 0xffff;

/// Keys that one block still counts, into 32 bits: it takes some 0.1 ms for them.
inline constexpr std::uint32_t middle_stretch_keys = std::uint32_t{1} << 18;
/// Keys that a block writes.
inline constexpr std::uint32_t stretch_fill_keys = 8192;

} // namespace keyswap::kernels
