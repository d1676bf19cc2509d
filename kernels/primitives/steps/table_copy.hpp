#pragma once

/// \file Copies of small tables beside large transfers.

#include "kernels/primitives/steps/segmented_sort.hpp"

#include <cstddef>

namespace keyswap::kernels {

/// Copies entries between device memory and pinned host memory by launch_copy(). A copy engine
/// would first finish the keys that other streams upload or download, up to gigabytes.
template <class T>
void copy_table(cudaStream_t stream, T* to, T const* from, std::size_t count) {
    constexpr int word_bytes = sizeof(T) % 8 == 0 ? 8 : 4;
    static_assert(sizeof(T) % word_bytes == 0);
    launch_copy(stream, word_bytes, to, from, count * (sizeof(T) / word_bytes));
}

} // namespace keyswap::kernels
