#pragma once

/// \file CUB's single-GPU merge sort, a comparison sort as baseline for sample sort.

#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Temporary device memory in bytes for `count` elements.
/// \pre no values for 16-byte images; the same holds for launch_merge_sort
[[nodiscard]] std::size_t merge_sort_temp_bytes(ElementShape shape, std::uint64_t count);

/// Sorts in place, comparing keys as unsigned words.
/// \param keys, values [count] device; `values` is ignored for shapes without values
void launch_merge_sort(cudaStream_t stream,
                       ElementShape shape,
                       void* keys,
                       void* values,
                       std::uint64_t count,
                       void* temp,
                       std::size_t temp_bytes);

} // namespace keyswap::kernels
