#pragma once

/// \file Which children of a level are leaves. Plain C++.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

inline constexpr std::size_t leaf_classes = 7;

/// Largest leaf of each class, ascending; of classes of one size only the first has leaves.
using LeafSizes = std::array<std::uint32_t, leaf_classes>;

/// A block that sorts leaves of up to threads * items keys or records.
struct LeafBlock {
    int threads = 0;
    int items = 0;
    [[nodiscard]] constexpr std::uint32_t size() const {
        return static_cast<std::uint32_t>(threads * items);
    }
};

/// Blocks of the classes of keys of 16 bytes: those of records of 16 (record_shape.hpp). The last
/// ones never have a leaf.
inline constexpr std::array<LeafBlock, leaf_classes> wide_leaf_blocks{
    {{32, 9}, {128, 7}, {128, 9}, {128, 11}, {256, 9}, {256, 9}, {256, 9}}};

/// Whether the last class has leaves that a block of the others cannot hold: a level less is worth
/// more than two blocks a multiprocessor.
[[nodiscard]] constexpr bool has_large_leaves(int key_bytes, int value_bytes) {
    return key_bytes == 4 && value_bytes == 0;
}

/// \param key_bytes 4, 8 or 16. Most leaves have a little more or less than half of the largest
/// size (segment_levels.hpp).
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

/// Elements that a network sorts; of 16 bytes they and their places take 36 KiB.
inline constexpr std::uint32_t network_leaf_max = 2048;
/// M of sample sort as published (quicksort_leaves.hpp): a segment of so many keys is not
/// divided further. Classes only order leaves, largest first.
inline constexpr LeafSizes quicksort_leaf_sizes{
    network_leaf_max, 1U << 13, 1U << 15, 1U << 16, 3U << 15, 1U << 17, 1U << 17};

/// Largest leaf of all.
[[nodiscard]] constexpr std::uint32_t leaf_max(int key_bytes, int value_bytes) {
    return leaf_sizes(key_bytes, value_bytes).back();
}

/// The same where no leaf may have more keys; classes beyond stay empty.
[[nodiscard]] constexpr LeafSizes limited(LeafSizes sizes, std::optional<std::uint32_t> most) {
    for (std::uint32_t& size : sizes) {
        size = std::min(size, most.value_or(size));
    }
    return sizes;
}

} // namespace keyswap::kernels
