#pragma once

/// \file Threshold from which a stretch of images is crowded.

#include "kernels/primitives/segment_limits.hpp"

#include <algorithm>
#include <cstdint>

namespace keyswap::kernels {

/// Estimated keys of a stretch that holds `samples` samples; 0 if chance explains them.
[[nodiscard]] constexpr std::uint64_t keys_of_samples(std::uint32_t samples, std::uint64_t count) {
    // Of thousands of stretches of uniform keys, none ever has more than 16 samples.
    constexpr std::uint32_t chance = 16;
    return samples <= chance ? 0 : samples * std::max<std::uint64_t>(1, count / crowding_samples);
}

} // namespace keyswap::kernels
