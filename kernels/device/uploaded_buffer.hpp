#pragma once

/// \file Small tables in device memory.

#include "kernels/device/stream.hpp"

#include <span>

namespace keyswap::kernels {

/// A copy in device memory, complete for every stream: cudaMemcpy of pageable memory may return
/// before the data has arrived, and streams do not wait for it. \throws CudaFailure
template <class T>
[[nodiscard]] DeviceBuffer<T> uploaded(int device, std::span<T const> host) {
    DeviceScope const scope{device};
    DeviceBuffer<T> buffer{device, host.size()};
    if (!host.empty()) {
        KEYSWAP_CUDA(
            cudaMemcpy(buffer.data(), host.data(), host.size_bytes(), cudaMemcpyHostToDevice));
        wait_for(nullptr);
    }
    return buffer;
}

} // namespace keyswap::kernels
