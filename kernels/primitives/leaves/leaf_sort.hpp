#pragma once

/// \file The end of a sort by levels on one GPU: classifies children, and sorts those that fit
/// shared memory, by size classes: into bins, or by CUB's block-level merge sort. Sources: GPU
/// Sample Sort, section 4; Stehle, Jacobsen 2017.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/leaves/leaf_sizes.hpp"
#include "kernels/primitives/leaves/leaf_tables.hpp"
#include "kernels/primitives/steps/label_step.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace keyswap::kernels {

/// Meaning of a table's `ends` during classification; at_begins if the keys have not been moved
/// yet.
enum class ChildCursors { at_ends, at_begins };

/// Classifies the first `count` entries: fills `leaves`, `large` and `kinds` of the table.
void launch_child_kinds(cudaStream_t stream,
                        LeafSizes const& sizes,
                        ChildTable const& table,
                        std::uint32_t count,
                        ChildCursors cursors = ChildCursors::at_ends);

/// Input and output of launch_digit_children.
struct DigitChildren {
    SegmentPart const* parts = nullptr;  ///< [segment_count] device, with the segments' digits
    std::uint32_t const* bins = nullptr; ///< [segment_count][2^digit_bits] from launch_segment_bins
    int digit_bits = step_bits;
    std::uint64_t* counts = nullptr;
    std::uint64_t* ends = nullptr;
    std::uint8_t* one_values = nullptr;
};
void launch_digit_children(cudaStream_t stream,
                           DigitChildren const& children,
                           std::uint32_t segment_count);

/// Sorts all leaves, largest class first: leaves of 4- and 8-byte keys into bins of about one key,
/// crowded leaves and those of 16-byte keys by CUB's block-level merge sort.
/// \param streams [at least 1] used round-robin by classes, so that the last blocks of a class do
/// not delay the next; the sort into bins uses only the first
void launch_leaf_sorts(std::span<cudaStream_t const> streams, LeafSort const& sort);

/// Samples `ways` times `oversampling` keys of each segment and builds a tree of splitters and
/// equality buckets: every child with different values is smaller than its segment.
void launch_segment_trees(cudaStream_t stream, int key_bytes, SegmentTrees const& trees);

} // namespace keyswap::kernels
