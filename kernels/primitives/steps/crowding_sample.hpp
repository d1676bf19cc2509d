#pragma once

/// \file Whether few stretches of images hold much of an array, estimated from a sample.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/segment_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace keyswap::kernels {

/// Counts crowding_samples keys by stretch of 2^shift images, in one block.
/// \param most receives the largest number of samples in one stretch (possibly a few more, as
/// stretches may share a counter); device, or pinned host memory
void launch_crowding_sample(cudaStream_t stream,
                            RawKeys const& keys,
                            int shift,
                            std::uint32_t* most);

/// Estimated keys of a stretch that holds `samples` samples; 0 if chance explains them.
[[nodiscard]] constexpr std::uint64_t keys_of_samples(std::uint32_t samples, std::uint64_t count) {
    // Of thousands of stretches of uniform keys, none ever has more than 16 samples.
    constexpr std::uint32_t chance = 16;
    return samples <= chance ? 0 : samples * std::max<std::uint64_t>(1, count / crowding_samples);
}

} // namespace keyswap::kernels
