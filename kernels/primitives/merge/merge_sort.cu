#include "kernels/primitives/merge/merge_sort.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/key_image.hpp"
#include "kernels/primitives/element_types.cuh"
#include "traces/errors/contracts.hpp"

#include <cub/device/device_merge_sort.cuh>

namespace keyswap::kernels {

namespace {

struct Below {
    template <class Key>
    __device__ bool operator()(Key const& a, Key const& b) const {
        return a < b;
    }
};

/// Calls CUB; with temp == nullptr it only returns the temporary size.
template <class Key, class Value>
void run(cudaStream_t stream,
         void* keys,
         void* values,
         std::uint64_t count,
         void* temp,
         std::size_t& temp_bytes) {
    auto const items = static_cast<std::int64_t>(count);
    if constexpr (is_value<Value>) {
        KEYSWAP_CUDA(cub::DeviceMergeSort::SortPairs(temp,
                                                     temp_bytes,
                                                     static_cast<Key*>(keys),
                                                     static_cast<Value*>(values),
                                                     items,
                                                     Below{},
                                                     stream));
    } else {
        KEYSWAP_CUDA(cub::DeviceMergeSort::SortKeys(
            temp, temp_bytes, static_cast<Key*>(keys), items, Below{}, stream));
    }
}

void run_by_shape(cudaStream_t stream,
                  ElementShape shape,
                  void* keys,
                  void* values,
                  std::uint64_t count,
                  void* temp,
                  std::size_t& temp_bytes) {
    if (shape.key_bytes == 16) {
        KEYSWAP_EXPECTS(shape.value_bytes == 0);
        run<WideImage, NoValue>(stream, keys, values, count, temp, temp_bytes);
        return;
    }
    with_element_types(shape, [&]<class Key, class Value>() {
        run<Key, Value>(stream, keys, values, count, temp, temp_bytes);
    });
}

} // namespace

std::size_t merge_sort_temp_bytes(ElementShape shape, std::uint64_t count) {
    std::size_t bytes = 0;
    run_by_shape(nullptr, shape, nullptr, nullptr, count, nullptr, bytes);
    return bytes > 0 ? bytes : 1;
}

void launch_merge_sort(cudaStream_t stream,
                       ElementShape shape,
                       void* keys,
                       void* values,
                       std::uint64_t count,
                       void* temp,
                       std::size_t temp_bytes) {
    run_by_shape(stream, shape, keys, values, count, temp, temp_bytes);
}

} // namespace keyswap::kernels
