#pragma once

/// \file Sizes of sample sort's tiles, samples and leaves for records of a given size. Plain C++.

#include "kernels/primitives/leaves/leaf_sizes.hpp"
#include "kernels/primitives/record_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Limit: too few wider records fit a block's shared memory; sort row numbers then (permute.cuh).
inline constexpr std::size_t record_bytes_max = 64;

/// Threads of a block that labels or moves a tile, the same as for images (label_step.cu).
inline constexpr int record_tile_threads = 512;

/// Records per thread of a tile: 96 bytes, so that a multiprocessor holds two blocks of 48 KiB
/// each, but at most 24 words, which are held in registers.
[[nodiscard]] constexpr int record_tile_items(std::size_t record_bytes) {
    constexpr std::size_t thread_bytes = 96;
    constexpr std::size_t thread_words = 24;
    std::size_t const bytes =
        std::min(thread_bytes, thread_words * record_word_bytes(record_bytes));
    return static_cast<int>(std::max<std::size_t>(1, bytes / record_bytes));
}

[[nodiscard]] constexpr std::uint32_t record_tile_size(std::size_t record_bytes) {
    return static_cast<std::uint32_t>(record_tile_threads * record_tile_items(record_bytes));
}

/// a: draws per way. A block sorts them in shared memory, which limits the number of wide ones.
[[nodiscard]] constexpr std::uint32_t record_oversampling(std::size_t record_bytes) {
    return record_bytes <= 16 ? 32 : record_bytes <= 32 ? 16 : 8;
}

inline constexpr int record_sample_threads = 1024;
/// Records of a sample sorted by a thread; odd for the same reason as in leaves.
[[nodiscard]] constexpr int record_sample_items(std::size_t record_bytes) {
    return record_bytes <= 16 ? 9 : record_bytes <= 32 ? 5 : 3;
}

inline constexpr std::size_t record_leaf_classes = 5;
static_assert(record_leaf_classes <= leaf_classes);

/// Blocks by size class, ascending: one for small remainders between equality buckets, three around
/// the most common leaf size (segment_levels.hpp), and the largest, of 36 KiB. Records per thread
/// are odd: threads' ranges in shared memory then begin in different banks, whereas ranges of 8 or
/// 16 records all begin in the same one.
[[nodiscard]] constexpr std::array<BlockShape, record_leaf_classes>
record_leaf_blocks(std::size_t record_bytes) {
    if (record_bytes <= 4) {
        return {{{64, 17}, {256, 13}, {256, 17}, {256, 21}, {512, 17}}};
    }
    if (record_bytes <= 8) {
        return {{{32, 17}, {128, 13}, {128, 17}, {128, 21}, {256, 17}}};
    }
    if (record_bytes <= 16) {
        return {{{32, 9}, {128, 7}, {128, 9}, {128, 11}, {256, 9}}};
    }
    if (record_bytes <= 32) {
        return {{{32, 5}, {64, 7}, {64, 9}, {64, 11}, {128, 9}}};
    }
    return {{{32, 3}, {64, 3}, {64, 5}, {128, 3}, {128, 5}}};
}

/// Largest leaf of each class; unused classes repeat the last size.
[[nodiscard]] constexpr LeafSizes record_leaf_sizes(std::size_t record_bytes) {
    auto const blocks = record_leaf_blocks(record_bytes);
    LeafSizes sizes{};
    for (std::size_t i = 0; i < leaf_classes; ++i) {
        sizes[i] = blocks[std::min(i, record_leaf_classes - 1)].size();
    }
    return sizes;
}

/// Properties of a record's type that determine the memory of its sort.
struct RecordShape {
    std::uint32_t tile_size = 0; ///< records
    LeafSizes leaf_sizes{};

    [[nodiscard]] constexpr std::uint32_t leaf_max() const { return leaf_sizes.back(); }
};

[[nodiscard]] constexpr RecordShape record_shape(std::size_t record_bytes) {
    return {record_tile_size(record_bytes), record_leaf_sizes(record_bytes)};
}

} // namespace keyswap::kernels
