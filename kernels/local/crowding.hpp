#pragma once

/// \file From how many keys on a stretch of images is crowded.

#include "kernels/primitives/segment_limits.hpp"

#include <algorithm>
#include <cstdint>

namespace keyswap::kernels {

/// Keys of a stretch from which so many were sampled.
[[nodiscard]] constexpr std::uint64_t keys_of_samples(std::uint32_t samples, std::uint64_t count) {
    // Uniform keys never give as many samples as 16 of one stretch of thousands.
    constexpr std::uint32_t chance = 16;
    return samples <= chance ? 0 : samples * std::max<std::uint64_t>(1, count / crowding_samples);
}

} // namespace keyswap::kernels
