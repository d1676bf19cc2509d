#pragma once

/// \file The comparators of Batcher's merge network for odd and even places. Source: Batcher,
/// Sorting networks and their applications, 1968; used by GPU Sample Sort, section 4, for leaves
/// that fit shared memory.

#include "kernels/primitives/merge/sorting_network.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Comparator `index` of a stage; no comparison if lower == upper. A network of 2^q positions
/// merges halves of blocks of 2, 4, ... 2^q positions: the first stage of a block's merge compares
/// positions half a block apart; later stages halve the distance down to 1, start one distance
/// further on, and leave the last positions of a block without a partner.
/// \param index below half the number of positions
/// \param block, distance powers of two, distance < block
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Comparator
batcher_comparator_of(std::uint32_t index, std::uint32_t block, std::uint32_t distance) {
    std::uint32_t const within = index & (distance - 1);
    std::uint32_t const lower = 2 * (index - within) + within;
    if (2 * distance == block) {
        return {lower, lower + distance};
    }
    std::uint32_t const upper = lower + 2 * distance;
    bool const is_inside = (upper & (block - 1)) >= distance;
    return is_inside ? Comparator{lower + distance, upper} : Comparator{lower, lower};
}

} // namespace keyswap::kernels
