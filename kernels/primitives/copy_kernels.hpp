#pragma once

/// \file Copies and fills by kernels, which leave the copy engines to other transfers.

#include "kernels/primitives/key_fill.hpp"

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <span>

namespace keyswap::kernels {

/// Copies elements of 4, 8 or 16 bytes.
void launch_copy(cudaStream_t stream,
                 int element_bytes,
                 void* destination,
                 void const* source,
                 std::uint64_t count);

/// Copies a table between device memory and pinned host memory by launch_copy(). A copy engine
/// would first finish the keys that other streams upload or download, up to gigabytes.
/// \param to, from [count]
template <class T>
void copy_table(cudaStream_t stream, T* to, T const* from, std::size_t count) {
    constexpr int word_bytes = sizeof(T) % 8 == 0 ? 8 : 4;
    static_assert(sizeof(T) % word_bytes == 0);
    launch_copy(stream, word_bytes, to, from, count * (sizeof(T) / word_bytes));
}

/// Writes runs of equal keys, up to `fills_per_launch` runs per launch.
/// \param key_bytes 4 or 8 \param keys device, base of the offsets \pre 2^31 blocks suffice
void launch_fills(cudaStream_t stream, int key_bytes, void* keys, std::span<KeyFill const> fills);

} // namespace keyswap::kernels
