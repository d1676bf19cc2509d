#pragma once

/// \file Uploads and downloads of whole vectors in pageable memory.

#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"

#include <cstddef>
#include <vector>

namespace keyswap::kernels {

/// Queues an upload. \param host must outlive the copy in the stream
template <class T>
[[nodiscard]] DeviceBuffer<T>
copy_to_device(int device, cudaStream_t stream, std::vector<T> const& host) {
    DeviceBuffer<T> copy{device, host.size()};
    copy_array(stream, copy.data(), host.data(), host.size());
    return copy;
}

/// Downloads an array and waits for the stream. \param data [count] device
template <class T>
[[nodiscard]] std::vector<T> copy_to_vector(cudaStream_t stream, T const* data, std::size_t count) {
    std::vector<T> copy(count);
    if (count != 0) {
        copy_array(stream, copy.data(), data, count);
        wait_for(stream);
    }
    return copy;
}

} // namespace keyswap::kernels
