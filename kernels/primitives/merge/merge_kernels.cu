#include "kernels/primitives/merge/merge_kernels.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/element_types.cuh"

#include <algorithm>
#include <cub/device/device_merge.cuh>
#include <cuda/std/functional>

namespace keyswap::kernels {

namespace {

template <class Key, class Value>
void merge(cudaStream_t stream, MergeRuns const& runs, void* temp, std::size_t& temp_bytes) {
    auto const* const keys0 = static_cast<Key const*>(runs.keys[0]);
    auto const* const keys1 = static_cast<Key const*>(runs.keys[1]);
    auto const count0 = static_cast<std::int64_t>(runs.count[0]);
    auto const count1 = static_cast<std::int64_t>(runs.count[1]);
    auto* const out = static_cast<Key*>(runs.keys_out);
    if constexpr (!is_value<Value>) {
        KEYSWAP_CUDA(cub::DeviceMerge::MergeKeys(
            temp, temp_bytes, keys0, count0, keys1, count1, out, cuda::std::less<>{}, stream));
    } else {
        KEYSWAP_CUDA(cub::DeviceMerge::MergePairs(temp,
                                                  temp_bytes,
                                                  keys0,
                                                  static_cast<Value const*>(runs.values[0]),
                                                  count0,
                                                  keys1,
                                                  static_cast<Value const*>(runs.values[1]),
                                                  count1,
                                                  out,
                                                  static_cast<Value*>(runs.values_out),
                                                  cuda::std::less<>{},
                                                  stream));
    }
}

void merge_by_shape(cudaStream_t stream,
                    ElementShape shape,
                    MergeRuns const& runs,
                    void* temp,
                    std::size_t& temp_bytes) {
    with_element_types(shape, [&]<class Key, class Value>() {
        merge<Key, Value>(stream, runs, temp, temp_bytes);
    });
}

template <class Word>
__device__ Word key_at(ChunkedRun const& run, std::uint64_t index) {
    std::uint64_t const chunk = index / run.chunk_size;
    return static_cast<Word const*>(run.chunk[chunk])[index - chunk * run.chunk_size];
}

/// One thread: about 31 steps of two remote reads, some 0.1 ms for a chunk of 2^31 keys.
template <class Word>
__global__ void __launch_bounds__(1)
    swap_count_kernel(ChunkedRun const left, ChunkedRun const right, std::uint64_t* result) {
    std::uint64_t enough = left.count < right.count ? left.count : right.count;
    std::uint64_t known = 0; // at least this many must be swapped
    while (known < enough) {
        std::uint64_t const middle = known + (enough - known + 1) / 2;
        bool const swapped =
            key_at<Word>(left, left.count - middle) > key_at<Word>(right, middle - 1);
        if (swapped) {
            known = middle;
        } else {
            enough = middle - 1;
        }
    }
    *result = known;
}

} // namespace

std::size_t merge_temp_bytes(ElementShape shape, std::uint64_t count) {
    MergeRuns runs;
    runs.count[0] = count / 2;
    runs.count[1] = count - count / 2;
    std::size_t bytes = 0;
    merge_by_shape(nullptr, shape, runs, nullptr, bytes);
    return std::max<std::size_t>(bytes, 1);
}

void launch_merge(cudaStream_t stream,
                  ElementShape shape,
                  MergeRuns const& runs,
                  void* temp,
                  std::size_t temp_bytes) {
    if (runs.count[0] + runs.count[1] > 0) {
        merge_by_shape(stream, shape, runs, temp, temp_bytes);
    }
}

void launch_swap_count(cudaStream_t stream,
                       int key_bytes,
                       ChunkedRun const& left,
                       ChunkedRun const& right,
                       std::uint64_t* result) {
    with_key_type(key_bytes, [&]<class Key>() {
        swap_count_kernel<Key><<<1, 1, 0, stream>>>(left, right, result);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
