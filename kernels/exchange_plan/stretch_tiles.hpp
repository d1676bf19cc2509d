#pragma once

/// \file How blocks share the stretches that are sorted by counting (32-bit keys that differ only
/// in their lowest bits, primitives/steps/stretch_counts.hpp). Plain C++; the simulator includes it
/// too.

#include "kernels/primitives/segment_limits.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace keyswap::kernels {

/// Most keys of the stretches that a block each counts; many blocks count each larger one, a tile
/// at a time. A block takes up to 0.1 ms for a stretch, and few of them leave other multiprocessors
/// idle. \param above_narrow stretches of more than narrow_stretch_keys
/// \param tiled_max most stretches that one launch counts by tiles
[[nodiscard]] constexpr std::uint32_t
stretch_by_block_max(std::uint64_t stretches, std::uint64_t above_narrow, std::uint64_t tiled_max) {
    if (above_narrow > tiled_max) {
        return middle_stretch_keys;
    }
    return above_narrow == 0 || stretches > tiled_max ? narrow_stretch_keys : 0;
}

/// Keys per tile of stretches that have `key_count` keys in total: few enough for a tile on each
/// multiprocessor, unless clearing and summing its counters then takes as long as counting.
[[nodiscard]] constexpr std::uint32_t stretch_tile_size(std::uint64_t key_count) {
    constexpr std::uint64_t tiles = 128;
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(std::bit_ceil((key_count + tiles - 1) / tiles),
                                  stretch_tile_keys_min,
                                  stretch_tile_keys_max));
}

} // namespace keyswap::kernels
