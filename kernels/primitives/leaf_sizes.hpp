#pragma once

/// \file Which children of a level are leaves. Plain C++.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

inline constexpr std::size_t leaf_classes = 6;

/// Largest leaf of each class, ascending.
using LeafSizes = std::array<std::uint32_t, leaf_classes>;

/// A block that sorts leaves of up to threads * items keys or records.
struct LeafBlock {
    int threads = 0;
    int items = 0;
    [[nodiscard]] constexpr std::uint32_t size() const {
        return static_cast<std::uint32_t>(threads * items);
    }
};

/// Blocks of the classes of keys of 4, 8 or 16 bytes. Most leaves have a little more or less than
/// half of the largest size (local_ways.hpp). Those of 16 bytes are the blocks of records of 16
/// (record_shape.hpp), one fewer, so that the last class never has a leaf.
[[nodiscard]] constexpr std::array<LeafBlock, leaf_classes> leaf_blocks(int key_bytes) {
    switch (key_bytes) {
    case 4:
        return {{{128, 8}, {256, 8}, {256, 16}, {512, 10}, {512, 12}, {512, 16}}};
    case 8:
        return {{{64, 8}, {128, 8}, {256, 8}, {256, 10}, {256, 12}, {256, 16}}};
    default:
        return {{{32, 9}, {128, 7}, {128, 9}, {128, 11}, {256, 9}, {256, 9}}};
    }
}

[[nodiscard]] constexpr LeafSizes leaf_sizes(int key_bytes) {
    auto const blocks = leaf_blocks(key_bytes);
    LeafSizes sizes{};
    for (std::size_t i = 0; i < leaf_classes; ++i) {
        sizes[i] = blocks[i].size();
    }
    return sizes;
}

/// Largest leaf of all.
[[nodiscard]] constexpr std::uint32_t leaf_max(int key_bytes) {
    return leaf_sizes(key_bytes).back();
}

/// The same where no leaf may have more keys; classes beyond stay empty.
[[nodiscard]] constexpr LeafSizes limited(LeafSizes sizes, std::optional<std::uint32_t> most) {
    for (std::uint32_t& size : sizes) {
        size = std::min(size, most.value_or(size));
    }
    return sizes;
}

} // namespace keyswap::kernels
