#pragma once

/// \file The end of a sort by levels on one GPU: which children of a level are small enough to be
/// sorted in shared memory, by size classes, and their sort: by CUB's merge sort of a block, or by
/// bins. Sources: GPU Sample Sort, section 4; Stehle, Jacobsen 2017.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/label_step.hpp"
#include "kernels/primitives/leaf_sizes.hpp"
#include "traces/records/key_type.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

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

/// What a table's `ends` hold while children are divided by kind: before their keys are moved,
/// where each begins.
enum class ChildCursors { at_ends, at_begins };

/// Divides the first `count` entries by kind.
void launch_child_kinds(cudaStream_t stream,
                        LeafSizes const& sizes,
                        ChildTable const& table,
                        std::uint32_t count,
                        ChildCursors cursors = ChildCursors::at_ends);

/// The children of a digit step as a table's counts and ends.
struct DigitChildren {
    SegmentPart const* parts = nullptr;  ///< [segment_count] device, each with its digit
    std::uint32_t const* bins = nullptr; ///< [segment_count][2^digit_bits] of launch_segment_bins
    int digit_bits = step_bits;
    std::uint64_t* counts = nullptr;
    std::uint64_t* ends = nullptr;
    std::uint8_t* one_values = nullptr;
};
void launch_digit_children(cudaStream_t stream,
                           DigitChildren const& children,
                           std::uint32_t segment_count);

/// Where leaves lie and where they go; indices are the same in both, and buffers may be, too.
struct LeafArrays {
    void const* keys_in = nullptr; ///< images
    void* keys_out = nullptr;
    void const* values_in = nullptr;
    void* values_out = nullptr;
    ImageCode decode; ///< keys_out become raw keys of this code
};

/// Sorts all leaves, the largest class first: keys of 4 and 8 bytes into bins of about a key, and
/// crowded leaves, as those of 16 bytes, by CUB's merge sort of a block.
/// \param streams [at least 1] take classes by turns, so that the last blocks of one do not keep
/// the next waiting; bins take the first alone
/// \param ties whether elements of equal keys keep their order
/// \param kinds of the table, on the host
void launch_leaf_sorts(std::span<cudaStream_t const> streams,
                       ElementShape shape,
                       Stability ties,
                       ChildTable const& table,
                       ChildKinds const& kinds,
                       LeafArrays const& arrays);

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

/// Draws `ways` times `oversampling` keys of each segment and makes a tree of splitters, equality
/// buckets included, so that every child that holds several values is smaller than its segment.
/// \param trees [segments][words] \param one_value [segments][words]: children of one value
/// \pre ways_max is at most words, and ways_max * oversampling at most 8,192
void launch_segment_trees(cudaStream_t stream,
                          int key_bytes,
                          StepBuffers keys,
                          SplitSegments const& segments,
                          TreeShape const& shape,
                          void* trees,
                          std::uint8_t* one_value);

} // namespace keyswap::kernels
