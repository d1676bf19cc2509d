#pragma once

/// \file Upload of test arrays.

#include "kernels/device/device_buffer.hpp"

#include <cstddef>
#include <vector>

namespace keyswap::kernels::gpu_test {

/// A copy on device 0.
template <class T>
DeviceBuffer<T> on_device(std::vector<T> const& host) {
    DeviceBuffer<T> buffer{0, host.size()};
    if (!host.empty()) {
        KEYSWAP_CUDA(cudaMemcpy(
            buffer.data(), host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    return buffer;
}

template <class T>
std::vector<T> on_host(T const* device, std::size_t count) {
    std::vector<T> host(count);
    if (count > 0) {
        KEYSWAP_CUDA(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    }
    return host;
}

} // namespace keyswap::kernels::gpu_test
