#pragma once

/// \file The end of a sort by levels on one GPU: which children of a level are small enough to be
/// sorted in shared memory, by size classes, and their sort: by CUB's merge sort of a block, or by
/// bins. Sources: GPU Sample Sort, section 4; Stehle, Jacobsen 2017.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/leaves/leaf_sizes.hpp"
#include "kernels/primitives/leaves/leaf_tables.hpp"
#include "kernels/primitives/steps/label_step.hpp"
#include "traces/records/key_type.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace keyswap::kernels {

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
