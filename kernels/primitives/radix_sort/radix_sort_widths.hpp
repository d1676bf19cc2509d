#pragma once

/// \file launch_radix_sort for the three key widths, each in its own translation unit.

#include "kernels/primitives/sort_buffers.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels::radix_sort_detail {

/// Sorts; with temp == nullptr only sets temp_bytes. Returns the index of the result's buffer.
int run_u32(cudaStream_t stream,
            int value_bytes,
            SortBuffers const& buffers,
            std::uint64_t count,
            BitWindow window,
            void* temp,
            std::size_t& temp_bytes);
/// Like run_u32, by the tuned policy.
/// \pre has_tuned_policy() for 4-byte images with these values; count < 2^32
int run_u32_tuned(cudaStream_t stream,
                  int value_bytes,
                  SortBuffers const& buffers,
                  std::uint64_t count,
                  BitWindow window,
                  void* temp,
                  std::size_t& temp_bytes);
/// Like run_u32, for 8-byte images.
int run_u64(cudaStream_t stream,
            int value_bytes,
            SortBuffers const& buffers,
            std::uint64_t count,
            BitWindow window,
            void* temp,
            std::size_t& temp_bytes);
/// Like run_u32, for 16-byte images without values.
int run_u128(cudaStream_t stream,
             SortBuffers const& buffers,
             std::uint64_t count,
             BitWindow window,
             void* temp,
             std::size_t& temp_bytes);

} // namespace keyswap::kernels::radix_sort_detail
