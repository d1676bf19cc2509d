#pragma once

#include "kernels/device/device_buffer.hpp"

namespace keyswap::kernels {

/// Multiprocessors of the current device.
[[nodiscard]] inline int multiprocessor_count() {
    int count = 0;
    KEYSWAP_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current_device()));
    return count;
}

/// The first number of the current device's compute capability: 9 for H100 and H200.
[[nodiscard]] inline int major_compute_capability() {
    int major = 0;
    KEYSWAP_CUDA(
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, current_device()));
    return major;
}

} // namespace keyswap::kernels
