#pragma once

#include "kernels/device/cuda_check.hpp"

namespace keyswap::kernels {

/// Multiprocessors of the current device.
[[nodiscard]] inline int multiprocessor_count() {
    int device = 0;
    int count = 0;
    KEYSWAP_CUDA(cudaGetDevice(&device));
    KEYSWAP_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

} // namespace keyswap::kernels
