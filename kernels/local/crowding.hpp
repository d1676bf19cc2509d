#pragma once

/// \file From how many keys on a stretch of images is crowded.

#include "kernels/primitives/segmented_sort.hpp"

#include <algorithm>
#include <cstdint>

namespace keyswap::kernels {

/// Most keys of what a block counts: it takes about 0.1 ms for them.
inline constexpr std::uint64_t counted_keys_max = std::uint64_t{1} << 19;
/// Leaves that a stretch may have which would be one if keys were spread evenly. Eight are one more
/// level for few of the keys.
inline constexpr std::uint64_t crowded_leaves = 8;

/// Keys of a stretch from which so many were sampled.
[[nodiscard]] constexpr std::uint64_t keys_of_samples(std::uint32_t samples, std::uint64_t count) {
    // Uniform keys never give as many samples as 16 of one stretch of thousands.
    constexpr std::uint32_t chance = 16;
    return samples <= chance ? 0 : samples * std::max<std::uint64_t>(1, count / crowding_samples);
}

} // namespace keyswap::kernels
