#pragma once

/// \file A block's tile in shared memory, sorted by a network.

#include "kernels/primitives/merge/sorting_network.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Position of an element in the block's unsorted tile.
using TilePlace = std::uint16_t;

/// Elements with values are ordered by (image, position), so that padding remains last and equal
/// keys keep their order; without values neither is observable.
template <class Key, std::uint32_t slots, bool with_places>
struct NetworkTile {
    static_assert(slots <= 1U << 16);

    Key images[slots];
    TilePlace places[with_places ? slots : 1];

    __device__ void compare(Comparator comparator) {
        auto const [lower, upper] = comparator;
        Key const first = images[lower];
        Key const second = images[upper];
        bool swaps = second < first;
        if constexpr (with_places) {
            swaps = swaps || (second == first && places[upper] < places[lower]);
        }
        if (!swaps) {
            return;
        }
        images[lower] = second;
        images[upper] = first;
        if constexpr (with_places) {
            TilePlace const place = places[lower];
            places[lower] = places[upper];
            places[upper] = place;
        }
    }
};

} // namespace keyswap::kernels
