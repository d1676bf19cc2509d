#pragma once

/// \file CUB's radix sort with other policies than its own, through CUB's policy interface, so that
/// measurements use the faster one as baseline.

#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// \pre has_tuned_policy() for such keys; count < 2^32
[[nodiscard]] std::size_t tuned_radix_sort_temp_bytes(ElementShape shape, std::uint64_t count);

/// Sorts by all bits of the keys' words. \param temp [tuned_radix_sort_temp_bytes()] device
/// \return index of the buffer that holds the result \pre has_tuned_policy() for such keys; count <
/// 2^32
int launch_tuned_radix_sort(cudaStream_t stream,
                            ElementShape shape,
                            SortBuffers const& buffers,
                            std::uint64_t count,
                            void* temp,
                            std::size_t temp_bytes);

} // namespace keyswap::kernels
