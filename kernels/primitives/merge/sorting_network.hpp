#pragma once

/// \file The comparators of a bitonic sorting network in its form without reversed halves.
/// Source: Batcher, Sorting networks and their applications, 1968.

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Two positions; swapped if the upper position's element is below the lower position's.
struct Comparator {
    std::uint32_t lower = 0;
    std::uint32_t upper = 0;
};

/// Comparator `index` of a stage. A network of 2^q positions merges blocks of 2, 4, ... 2^q: the
/// first stage of a block's merge compares positions mirrored about the block's middle; later
/// stages have a distance that halves from a quarter of the block down to 1.
/// \param index below half the number of positions
/// \param block, distance powers of two, distance < block
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Comparator
comparator_of(std::uint32_t index, std::uint32_t block, std::uint32_t distance) {
    std::uint32_t const within = index & (distance - 1);
    std::uint32_t const lower = 2 * (index - within) + within;
    bool const mirrors = 2 * distance == block;
    return {lower, mirrors ? lower - within + block - 1 - within : lower + distance};
}

} // namespace keyswap::kernels
