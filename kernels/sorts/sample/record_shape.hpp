#pragma once

/// \file How sample sort cuts records of a size: into tiles, samples and leaves. Plain C++.

#include "kernels/primitives/leaves/leaf_sizes.hpp"
#include "kernels/primitives/record_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Wider ones leave too few to a block's shared memory; they follow a row number (permute.cuh).
inline constexpr std::size_t record_bytes_max = 64;

/// Threads of a block that labels or moves a tile, as of images (label_step.cu).
inline constexpr int record_tile_threads = 512;

/// Records of a tile that a thread takes: 96 bytes, so that two blocks with 48 KiB each fit a
/// multiprocessor twice, and at most 24 words in registers.
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

/// a: records drawn for each way. A block sorts them in shared memory, so that wide ones are fewer.
[[nodiscard]] constexpr std::uint32_t record_oversampling(std::size_t record_bytes) {
    return record_bytes <= 16 ? 32 : record_bytes <= 32 ? 16 : 8;
}

inline constexpr int record_sample_threads = 1024;
/// Records of a sample that a thread sorts. Odd, as in leaves.
[[nodiscard]] constexpr int record_sample_items(std::size_t record_bytes) {
    return record_bytes <= 16 ? 9 : record_bytes <= 32 ? 5 : 3;
}

inline constexpr std::size_t record_leaf_classes = 5;
static_assert(record_leaf_classes <= leaf_classes);

/// Blocks of the size classes, ascending: one for what equality buckets leave between them, three
/// about the size that most leaves have (segment_levels.hpp), and the largest, of 36 KiB. Threads
/// take odd numbers of records: their stretches of shared memory then begin in different banks,
/// where those of 8 or 16 records begin in the same one.
[[nodiscard]] constexpr std::array<LeafBlock, record_leaf_classes>
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

/// Largest leaf of each class; classes that records do not have are as large as the last.
[[nodiscard]] constexpr LeafSizes record_leaf_sizes(std::size_t record_bytes) {
    auto const blocks = record_leaf_blocks(record_bytes);
    LeafSizes sizes{};
    for (std::size_t i = 0; i < leaf_classes; ++i) {
        sizes[i] = blocks[std::min(i, record_leaf_classes - 1)].size();
    }
    return sizes;
}

/// What of a record's type decides its sort's memory.
struct RecordShape {
    std::uint32_t tile_size = 0; ///< records
    LeafSizes leaf_sizes{};

    [[nodiscard]] constexpr std::uint32_t leaf_max() const { return leaf_sizes.back(); }
};

[[nodiscard]] constexpr RecordShape record_shape(std::size_t record_bytes) {
    return {record_tile_size(record_bytes), record_leaf_sizes(record_bytes)};
}

} // namespace keyswap::kernels
