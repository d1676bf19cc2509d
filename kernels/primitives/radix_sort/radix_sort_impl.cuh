#pragma once

/// \file The body of launch_radix_sort for one key width; included by one .cu per width, so that
/// widths compile in parallel.

#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/radix_sort/radix_sort_widths.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <limits>

namespace keyswap::kernels::radix_sort_detail {

/// \tparam Count type of CUB's offsets: with 32 bits its threads have more elements each
template <class Key, class Value, class Count>
int run_counted(Call const& call, Count count) {
    auto const& [keys_of, values_of, current] = call.buffers;
    cub::DoubleBuffer<Key> keys{static_cast<Key*>(keys_of[current]),
                                static_cast<Key*>(keys_of[1 - current])};
    auto const [begin, end] = call.window;
    if constexpr (is_value<Value>) {
        cub::DoubleBuffer<Value> values{static_cast<Value*>(values_of[current]),
                                        static_cast<Value*>(values_of[1 - current])};
        KEYSWAP_CUDA(cub::DeviceRadixSort::SortPairs(
            call.temp, call.temp_bytes, keys, values, count, begin, end, call.stream));
    } else {
        KEYSWAP_CUDA(cub::DeviceRadixSort::SortKeys(
            call.temp, call.temp_bytes, keys, count, begin, end, call.stream));
    }
    return keys.selector == 0 ? current : 1 - current;
}

template <class Key, class Value>
int run_pairs(Call const& call) {
    if constexpr (is_value<Value>) { // without values, 64-bit offsets are as fast
        if (call.count <= std::numeric_limits<std::uint32_t>::max()) {
            return run_counted<Key, Value>(call, static_cast<std::uint32_t>(call.count));
        }
    }
    return run_counted<Key, Value>(call, call.count);
}

template <class Key>
int run(Call const& call) {
    if constexpr (sizeof(Key) == sizeof(WideImage)) {
        return run_pairs<Key, NoValue>(call);
    } else {
        return with_value_type(call.value_bytes,
                               [&]<class Value>() { return run_pairs<Key, Value>(call); });
    }
}

} // namespace keyswap::kernels::radix_sort_detail
