#pragma once

#include "kernels/device/device_buffer.hpp"

namespace keyswap::kernels {

/// Multiprocessors of the current device.
[[nodiscard]] inline int multiprocessor_count() {
    int count = 0;
    KEYSWAP_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current_device()));
    return count;
}

} // namespace keyswap::kernels
