#pragma once

/// \file The body of launch_radix_sort for one key width; included by one .cu per width, so that
/// widths compile in parallel.

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/key_image.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <limits>

namespace keyswap::kernels::radix_sort_detail {

/// Calls CUB; with temp == nullptr it only returns the temporary size. \tparam Count type of CUB's
/// offsets: with 32 bits its threads have more elements each
template <class Key, class Value, class Count>
int run_counted(cudaStream_t stream,
                SortBuffers const& buffers,
                Count count,
                BitWindow window,
                void* temp,
                std::size_t& temp_bytes) {
    auto const current = buffers.current;
    cub::DoubleBuffer<Key> keys{static_cast<Key*>(buffers.keys[current]),
                                static_cast<Key*>(buffers.keys[1 - current])};
    if constexpr (sizeof(Value) == 1) {
        KEYSWAP_CUDA(cub::DeviceRadixSort::SortKeys(
            temp, temp_bytes, keys, count, window.begin, window.end, stream));
    } else {
        cub::DoubleBuffer<Value> values{static_cast<Value*>(buffers.values[current]),
                                        static_cast<Value*>(buffers.values[1 - current])};
        KEYSWAP_CUDA(cub::DeviceRadixSort::SortPairs(
            temp, temp_bytes, keys, values, count, window.begin, window.end, stream));
    }
    return keys.selector == 0 ? current : 1 - current;
}

template <class Key, class Value>
int run(cudaStream_t stream,
        SortBuffers const& buffers,
        std::uint64_t count,
        BitWindow window,
        void* temp,
        std::size_t& temp_bytes) {
    if constexpr (sizeof(Value) > 1) { // without values, 64-bit offsets are as fast
        if (count <= std::numeric_limits<std::uint32_t>::max()) {
            return run_counted<Key, Value>(
                stream, buffers, static_cast<std::uint32_t>(count), window, temp, temp_bytes);
        }
    }
    return run_counted<Key, Value>(stream, buffers, count, window, temp, temp_bytes);
}

template <class Key>
int run_by_value(cudaStream_t stream,
                 int value_bytes,
                 SortBuffers const& buffers,
                 std::uint64_t count,
                 BitWindow window,
                 void* temp,
                 std::size_t& temp_bytes) {
    switch (value_bytes) {
    case 4:
        return run<Key, std::uint32_t>(stream, buffers, count, window, temp, temp_bytes);
    case 8:
        return run<Key, std::uint64_t>(stream, buffers, count, window, temp, temp_bytes);
    default:
        return run<Key, std::uint8_t>(stream, buffers, count, window, temp, temp_bytes);
    }
}

} // namespace keyswap::kernels::radix_sort_detail
