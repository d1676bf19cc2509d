#pragma once

/// \file CUB's single-GPU merge sort, the comparison sort to measure sample sort beside.

#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Temporary device memory for `count` elements.
/// \pre images of 16 bytes have no values, here and below
[[nodiscard]] std::size_t merge_sort_temp_bytes(ElementShape shape, std::uint64_t count);

/// Sorts by keys as unsigned words, in place.
/// \param keys, values [count] device; values is ignored for shapes without them
void launch_merge_sort(cudaStream_t stream,
                       ElementShape shape,
                       void* keys,
                       void* values,
                       std::uint64_t count,
                       void* temp,
                       std::size_t temp_bytes);

} // namespace keyswap::kernels
