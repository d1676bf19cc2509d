#pragma once

/// \file The three key widths of launch_radix_sort, each in a translation unit of its own.

#include "kernels/primitives/sort_buffers.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels::radix_sort_detail {

/// Sorts, or sets temp_bytes to what is needed where temp is null; returns the result's buffer.
int run_u32(cudaStream_t stream,
            int value_bytes,
            SortBuffers const& buffers,
            std::uint64_t count,
            BitWindow window,
            void* temp,
            std::size_t& temp_bytes);
/// As run_u32, for images of 8 bytes.
int run_u64(cudaStream_t stream,
            int value_bytes,
            SortBuffers const& buffers,
            std::uint64_t count,
            BitWindow window,
            void* temp,
            std::size_t& temp_bytes);
/// As run_u32, for images of 16 bytes without values.
int run_u128(cudaStream_t stream,
             SortBuffers const& buffers,
             std::uint64_t count,
             BitWindow window,
             void* temp,
             std::size_t& temp_bytes);

} // namespace keyswap::kernels::radix_sort_detail
