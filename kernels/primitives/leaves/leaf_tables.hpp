#pragma once

/// \file What the end of a sort by levels works on: the children of a level, its leaves, and the
/// segments that are divided further.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/leaves/leaf_sizes.hpp"
#include "kernels/primitives/steps/label_step.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// A child that is not a leaf.
struct LargeChild {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
    bool is_one_value = false; ///< it is in order
    std::uint32_t entry = 0;   ///< number in the table
};

/// How many children a level has of each kind.
struct ChildKinds {
    std::uint32_t leaves[leaf_classes] = {};
    std::uint32_t large = 0;
    std::uint32_t crowded = 0; ///< leaves that are left to a merge sort; counted on the device
};

/// The children of a level, all on the device but for `large`.
struct ChildTable {
    std::uint32_t entries = 0;               ///< most that there can be
    std::uint64_t const* counts = nullptr;   ///< [entries]
    std::uint64_t const* ends = nullptr;     ///< [entries]: index after each child's last key
    std::uint8_t const* one_value = nullptr; ///< [entries]
    /// [leaf_classes + 1][entries] takes entry numbers, those of crowded leaves last
    std::uint32_t* leaves = nullptr;
    LargeChild* large = nullptr; ///< takes the others; may be pinned memory of the host
    ChildKinds* kinds = nullptr;
};

/// Where leaves lie and where they go; indices are the same in both, and buffers may be, too.
struct LeafArrays {
    void const* keys_in = nullptr; ///< images
    void* keys_out = nullptr;
    void const* values_in = nullptr;
    void* values_out = nullptr;
    ImageCode decode; ///< keys_out become raw keys of this code
};

/// A segment that is to be divided on its GPU.
struct SplitSegment {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
    std::uint32_t ways = 2; ///< a power of two, 2 to 256
    /// Its parts, where its keys do not lie together from `begin` on; 0 where they do.
    std::uint32_t part_count = 0;
    std::uint32_t first_part = 0;
    std::uint32_t unused = 0;
};

/// Those of a launch.
struct SplitSegments {
    SplitSegment const* segments = nullptr; ///< [count] device
    std::uint32_t count = 0;
    SegmentPart const* parts = nullptr; ///< device; null where no segment has parts
};

/// How the trees of a launch are made.
struct TreeShape {
    std::uint32_t ways_max = tree_words; ///< of its segments
    std::uint32_t oversampling = 32;     ///< a: keys drawn for each way
    int levels = tree_levels;            ///< of a tree, which has 2^levels words
    [[nodiscard]] std::uint32_t words() const { return 1U << levels; }
};

} // namespace keyswap::kernels
