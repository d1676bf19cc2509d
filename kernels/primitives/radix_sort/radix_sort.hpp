#pragma once

/// \file CUB's single-GPU LSD radix sort on a window of bits of key images, with or without values.

#include "kernels/primitives/radix_sort/radix_policy.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Temporary device memory in bytes for any window of up to `count` elements, by either policy.
/// \pre no values for 16-byte images; the same holds for launch_radix_sort
[[nodiscard]] std::size_t radix_sort_temp_bytes(ElementShape shape, std::uint64_t count);

/// Sorts stably by the window's bits, ascending; may overwrite both buffers.
/// \return index of the buffer that will hold the result, known without waiting
int launch_radix_sort(cudaStream_t stream,
                      ElementShape shape,
                      SortBuffers const& buffers,
                      std::uint64_t count,
                      BitWindow window,
                      void* temp,
                      std::size_t temp_bytes,
                      RadixPolicy policy = RadixPolicy::own);

} // namespace keyswap::kernels
