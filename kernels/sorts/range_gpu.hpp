#pragma once

/// \file A GPU's buffers and copy streams for ranges in host memory.

#include "kernels/device/stream.hpp"
#include "kernels/runtime/gpu_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace keyswap::kernels {

/// A buffer to upload to, two for the work in between, one to download from.
inline constexpr std::size_t range_buffer_pairs = 2;

/// Keys and values on one GPU.
struct RangeBuffer {
    DeviceBuffer<std::byte> keys;
    DeviceBuffer<std::byte> values;
    Event copied; ///< upload or download has finished
};

struct RangeGpu {
    int device = 0;
    Stream uploads;
    Stream downloads;
    std::array<RangeBuffer, 2 * range_buffer_pairs> buffers;
    std::size_t filled = 0;          ///< buffer of the range to sort next
    std::size_t filling = 0;         ///< buffer of the range after it
    std::size_t other = 0;           ///< second buffer of the sort
    std::deque<std::size_t> emptied; ///< results of the latest sorts, oldest first

    /// \throws CudaFailure
    RangeGpu(int number, std::uint64_t capacity, ElementShape shape)
        : device(number), uploads(number), downloads(number) {
        for (RangeBuffer& buffer : buffers) {
            buffer.keys = DeviceBuffer<std::byte>{device, bytes_of(capacity, shape.key_bytes)};
            buffer.values = DeviceBuffer<std::byte>{device, bytes_of(capacity, shape.value_bytes)};
            buffer.copied = Event{device, EventTiming::off};
        }
    }
};

} // namespace keyswap::kernels
