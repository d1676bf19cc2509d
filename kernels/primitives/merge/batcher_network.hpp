#pragma once

/// \file Which elements Batcher's merge network compares, the one of odd and even places. Source:
/// Batcher, Sorting networks and their applications, 1968; GPU Sample Sort, section 4, takes it for
/// what fits shared memory.

#include "kernels/primitives/merge/sorting_network.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Comparator `index` of a stage; one whose places are the same compares nothing. A network of 2^q
/// places merges halves of blocks of 2, 4, ... 2^q of them: the first stage of a block's merge
/// compares places half a block apart, later ones halve the distance down to 1 and begin one
/// distance further on, where the last of a block has no partner.
/// \param index below half of the places
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
