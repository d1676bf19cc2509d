#pragma once

/// \file Tables for the end of a sort by levels: the children of a level, its leaves, and the
/// segments to divide further.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/leaves/leaf_sizes.hpp"
#include "kernels/primitives/steps/label_step.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// A child that is not a leaf.
struct LargeChild {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
    bool is_one_value = false; ///< all keys are equal, hence sorted
    std::uint32_t entry = 0;   ///< index in the table
};

/// Number of children of each kind in a level.
struct ChildKinds {
    std::uint32_t leaves[leaf_classes] = {};
    std::uint32_t large = 0;
    std::uint32_t crowded = 0; ///< leaves that need a merge sort; counted on the device
};

/// The children of a level; in device memory except for `large`.
struct ChildTable {
    std::uint32_t entries = 0;               ///< capacity
    std::uint64_t const* counts = nullptr;   ///< [entries]
    std::uint64_t const* ends = nullptr;     ///< [entries]: index after each child's last key
    std::uint8_t const* one_value = nullptr; ///< [entries]
    /// [leaf_classes + 1][entries] receives indices of leaves by class, crowded leaves last
    std::uint32_t* leaves = nullptr;
    LargeChild* large = nullptr; ///< receives the other children; may be pinned host memory
    ChildKinds* kinds = nullptr;
};

/// Source and destination of leaves; a leaf has the same indices in both, which may be the same.
/// (Derived from MovedArrays, it would change the machine code of leaves.)
struct LeafArrays {
    void const* keys_in = nullptr; ///< images
    void* keys_out = nullptr;
    void const* values_in = nullptr;
    void* values_out = nullptr;
    ImageCode decode; ///< code of raw keys to write to keys_out
};

/// Leaves to sort.
struct LeafSort {
    ElementShape shape;
    Stability ties = Stability::unstable; ///< stable: equal keys keep their order
    ChildTable table;
    ChildKinds kinds; ///< of the table, copied to the host
    LeafArrays arrays;
};

/// A segment to divide on its GPU.
struct SplitSegment {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
    std::uint32_t ways = 2; ///< a power of two, 2 to 256
    /// Number of parts; 0 if the keys are contiguous from `begin` on.
    std::uint32_t part_count = 0;
    std::uint32_t first_part = 0;
    std::uint32_t unused = 0;
};

/// Segments of a launch.
struct SplitSegments {
    SplitSegment const* segments = nullptr; ///< [count] device
    std::uint32_t count = 0;
    SegmentPart const* parts = nullptr; ///< device; null if no segment has parts
};

/// Parameters of the trees of a launch.
struct TreeShape {
    std::uint32_t ways_max = tree_words; ///< most ways of a segment
    std::uint32_t oversampling = 32;     ///< a: samples per way
    int levels = tree_levels;            ///< of a tree, which has 2^levels words
    [[nodiscard]] std::uint32_t words() const { return 1U << levels; }
};

/// Trees to build. \pre ways_max is at most words, and ways_max * oversampling at most 8,192
struct SegmentTrees {
    StepBuffers keys;
    SplitSegments segments;
    TreeShape shape;
    void* trees = nullptr;             ///< [segments][words] words of a key
    std::uint8_t* one_value = nullptr; ///< [segments][words]: 1 for children of equal keys
};

} // namespace keyswap::kernels
