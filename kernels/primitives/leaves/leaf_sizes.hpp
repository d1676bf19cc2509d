#pragma once

/// \file Sizes of leaves. Plain C++.

#include "kernels/primitives/block_shape.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

inline constexpr std::size_t leaf_classes = 7;

/// Largest leaf of each class, ascending; of equal entries, only the first class has leaves.
using LeafSizes = std::array<std::uint32_t, leaf_classes>;

/// Blocks for the classes of 16-byte keys, equal to those of 16-byte records (record_shape.hpp).
/// The last two classes never have leaves.
inline constexpr std::array<BlockShape, leaf_classes> wide_leaf_blocks{
    {{32, 9}, {128, 7}, {128, 9}, {128, 11}, {256, 9}, {256, 9}, {256, 9}}};

/// True if the last class has leaves that only a block with a whole multiprocessor can hold: saving
/// a level outweighs the second block.
[[nodiscard]] constexpr bool has_large_leaves(int key_bytes, int value_bytes) {
    return key_bytes == 4 && value_bytes == 0;
}

/// \param key_bytes 4, 8 or 16. The classes are dense around half of the largest size, where most
/// leaves are (segment_levels.hpp).
[[nodiscard]] constexpr LeafSizes leaf_sizes(int key_bytes, int value_bytes) {
    if (key_bytes == 16) {
        LeafSizes sizes{};
        for (std::size_t i = 0; i < leaf_classes; ++i) {
            sizes[i] = wide_leaf_blocks[i].size();
        }
        return sizes;
    }
    if (key_bytes == 8) {
        return {512, 1024, 2048, 2560, 3072, 4096, 4096};
    }
    return {1024, 2048, 4096, 5120, 6144, 8192, has_large_leaves(4, value_bytes) ? 16384U : 8192U};
}

/// Most elements a network sorts; 16-byte elements and their positions take 36 KiB.
inline constexpr std::uint32_t network_leaf_max = 2048;
/// M of sample sort as published (quicksort_leaves.hpp): segments up to this many keys are not
/// divided further. Classes only order leaves, largest first.
inline constexpr LeafSizes quicksort_leaf_sizes{
    network_leaf_max, 1U << 13, 1U << 15, 1U << 16, 3U << 15, 1U << 17, 1U << 17};

/// Size of the largest leaf.
[[nodiscard]] constexpr std::uint32_t leaf_max(int key_bytes, int value_bytes) {
    return leaf_sizes(key_bytes, value_bytes).back();
}

/// Sizes capped at `most`; classes above it are empty.
[[nodiscard]] constexpr LeafSizes limited(LeafSizes sizes, std::optional<std::uint32_t> most) {
    for (std::uint32_t& size : sizes) {
        size = std::min(size, most.value_or(size));
    }
    return sizes;
}

} // namespace keyswap::kernels
