#pragma once

/// \file Which children of a level are leaves. Plain C++.

#include <array>
#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

inline constexpr std::size_t leaf_classes = 6;

/// How a block sorts a leaf.
enum class LeafMethod {
    merge, ///< CUB's merge sort of a block
    bins   ///< into bins of about a key; crowded leaves by the merge sort
};

/// Largest leaf of each class, ascending.
using LeafSizes = std::array<std::uint32_t, leaf_classes>;

/// Those of keys of 4 or 8 bytes.
[[nodiscard]] constexpr LeafSizes leaf_sizes(int key_bytes) {
    // Blocks of 128 x 8, 256 x 8, 256 x 16, 512 x 10, 12 and 16 keys; of 8 bytes half of that. Most
    // leaves have a little more or less than half of the largest size (local_ways.hpp).
    LeafSizes sizes{1024, 2048, 4096, 5120, 6144, 8192};
    for (std::uint32_t& size : sizes) {
        size /= key_bytes == 8 ? 2 : 1;
    }
    return sizes;
}

/// Largest leaf of all.
[[nodiscard]] constexpr std::uint32_t leaf_max(int key_bytes) {
    return leaf_sizes(key_bytes).back();
}

} // namespace keyswap::kernels
