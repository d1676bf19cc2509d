#pragma once

/// \file The sort of one GPU's ranges, level by level: a level divides all segments larger than a
/// leaf, and leaves are sorted as soon as there are any. Crowded 32-bit keys are sorted by counting
/// once few bits remain. Sources: GPU Sample Sort, section 4; by digits as in Stehle, Jacobsen: A
/// Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, SIGMOD 2017.

#include "kernels/exchange_plan/arrived_segment.hpp"
#include "kernels/exchange_plan/segment_levels.hpp"
#include "kernels/local/local_memory.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::kernels {

/// Size in keys of the largest leaf, for digits or for splitters with stored labels.
[[nodiscard]] std::uint32_t leaf_of(RunContext const& context);

/// One GPU's input: either ranges in their final location, or segments in parts.
struct LocalWork {
    std::span<SortRangeRecord const> ranges{}; ///< end_bit 0: all keys are equal
    std::span<ArrivedSegment const> arrived{};
    /// Once a level has separated them, about this many keys are sorted before any later ones; 0:
    /// all keys at once.
    std::uint64_t piece_keys = 0;
    /// Counts of all GPUs' keys, if known; the first two levels then need not read the segments.
    LeadingCounts leading{};
};

/// The sort of one GPU. Batches are queued and awaited alternately, so that a single thread keeps
/// several GPUs busy.
class LocalSort {
  public:
    /// \pre the GPU's current buffer holds images; segments in parts have room at their destination
    /// in the other buffer
    LocalSort(RunContext const& context,
              GpuState& gpu,
              LocalMemory const& memory,
              LocalWork work,
              LocalLevels levels);

    [[nodiscard]] bool is_done() const {
        return in_order_.empty() && leaf_ranges_.empty() && arrived_in_order_.empty() &&
               arrived_counted_.empty() && arrived_.empty() && counted_.empty() &&
               segments_.empty() && later_.empty();
    }
    /// Offset of the first key that will not be in its final location when all queued work has
    /// finished. \pre no batch is waiting for await_batch()
    [[nodiscard]] std::uint64_t sorted_end() const;
    /// Queues the next batch of segments, all of the same level. \pre !is_done()
    void queue_batch();
    /// True if await_batch() would not block. \pre a batch is queued
    [[nodiscard]] bool is_batch_ready() const;
    /// Waits until the sizes of the batch's children are known, which is before their keys have
    /// moved, and queues the leaves. When is_done() becomes true, the other buffer, which then is
    /// current, holds keys (not images).
    void await_batch();

  private:
    /// A contiguous range to divide.
    struct Segment {
        KeyRange range;
        BitWindow digit; ///< empty if splitters divide it
    };
    /// A contiguous range to sort by counting.
    struct CountedRange {
        KeyRange range;
        std::size_t buffer = 0;
    };
    void enqueue(SortRangeRecord const& range);
    void enqueue(ArrivedSegment const& segment);
    void add_segment(KeyRange range, int end_bit);
    void take_next_piece();
    [[nodiscard]] BitWindow digit_of(std::uint64_t count, int end_bit) const;
    [[nodiscard]] BitWindow first_digit_of(ArrivedSegment const& segment) const;
    // local_division.cpp
    void choose_step();
    [[nodiscard]] std::uint32_t digit_tile_keys() const;
    void queue_arrived();
    void queue_arrived_by_splitters();
    void queue_segments();
    void queue_trees(std::size_t count,
                     std::size_t from,
                     SegmentPart const* parts,
                     TreeShape const& shape);
    void divide_by_splitters(SegmentPart const* places,
                             LabelTiles const& tiles,
                             std::size_t from,
                             SegmentPart const* parts);
    void divide_as_published(SegmentParts const& parts, std::size_t count, std::size_t from);
    void divide_by_digits(SegmentPart const* places, SegmentParts const& parts, std::size_t from);
    void count_digits(PartTable const& parts, LabelTiles const& tiles, std::size_t from);
    // local_ends.cpp
    void queue_leaf_ranges();
    void queue_kinds(std::size_t children, ChildCursors at);
    void sort_leaves();
    void sort_leaves_as_published(ChildKinds const& kinds, std::size_t from, std::size_t to);
    void queue_arrived_counts();
    void queue_counts();
    void count_stretches(SegmentParts const& parts, SegmentParts const& places, std::size_t from);
    void copy_ranges(std::vector<KeyRange> const& ranges);
    void copy_arrived_in_order();
    void copy_tiles(SegmentParts const& parts, std::size_t from);
    [[nodiscard]] std::size_t buffer_of(int level) const;
    [[nodiscard]] StepBuffers keys_read(std::size_t from) const;

    RunContext const& context_;
    GpuState& gpu_;
    LocalMemory const& memory_;
    LevelMethod method_;
    LeadingCounts leading_;
    bool counts_leading_; ///< the first level counts leading bits
    LeafSizes leaf_sizes_;
    LevelDigits digits_;
    /// Work not queued yet: ranges of equal keys, ranges of at most a leaf, segments in parts,
    /// ranges to sort by counting, and segments to divide.
    std::vector<KeyRange> in_order_;
    std::vector<SortRangeRecord> leaf_ranges_;
    std::vector<ArrivedSegment const*> arrived_in_order_;
    std::vector<ArrivedSegment const*> arrived_counted_;
    std::vector<ArrivedSegment const*> arrived_;
    std::vector<CountedRange> counted_;
    std::map<int, std::vector<Segment>> segments_; ///< by level
    std::vector<std::pair<int, Segment>> later_;   ///< segments from piece_end_ on, by level
    std::uint64_t piece_keys_;
    std::uint64_t piece_end_;
    std::uint64_t end_ = 0;               ///< end of the last range
    int batch_level_ = 0;                 ///< level of the queued batch's children
    std::vector<BitWindow> batch_digits_; ///< digits of the batch's segments, in order
    int batch_child_bits_ = 0;            ///< digits only: 2^this children per segment in the step
    bool batch_has_kinds_ = false;        ///< children have kinds, unlike batches of counting
    int first_buffer_;
};

} // namespace keyswap::kernels
