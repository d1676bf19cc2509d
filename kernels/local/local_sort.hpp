#pragma once

/// \file The sort of one GPU's ranges: level by level, each dividing all segments above a leaf's
/// size, and leaves as soon as there are any. What a level leaves of 32-bit keys that crowd is
/// counted once its values are few. Sources: GPU Sample Sort, section 4; by digits as in Stehle,
/// Jacobsen: A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, SIGMOD 2017.

#include "kernels/exchange_plan/arrived_segment.hpp"
#include "kernels/exchange_plan/segment_levels.hpp"
#include "kernels/local/local_memory.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace keyswap::kernels {

/// Keys of the largest leaf that a level leaves, by digits or by splitters that are kept.
[[nodiscard]] std::uint32_t leaf_of(RunContext const& context);

/// What one GPU sorts: either ranges that lie where they belong, or segments that came in parts.
struct LocalWork {
    std::span<SortRangeRecord const> ranges{}; ///< end_bit 0 means that one holds one value
    std::span<ArrivedSegment const> arrived{};
    /// About so many keys are sorted before any that follow them, once a level has separated these
    /// apart; 0: all together.
    std::uint64_t piece_keys = 0;
};

/// The sort of one GPU. Batches alternate between being queued and being waited for, so that one
/// thread keeps several GPUs busy.
class LocalSort {
  public:
    /// \pre images lie in the GPU's current buffer; the places of segments that came in parts have
    /// room in the other buffer
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
    /// Where the first of the keys lies that are not yet in their place once all that is queued is
    /// done. \pre batches are awaited
    [[nodiscard]] std::uint64_t sorted_end() const;
    /// Queues the next batch of segments, all of one level. \pre !is_done()
    void queue_batch();
    /// Whether await_batch() has nothing to wait for. \pre a batch is queued
    [[nodiscard]] bool is_batch_known() const;
    /// Waits until the sizes of its children are known, which is before their keys are moved, and
    /// queues its leaves. Once is_done(), keys (not images) lie in the other buffer, which is
    /// current from then on.
    void await_batch();

  private:
    /// Keys that lie together and are divided.
    struct Segment {
        KeyRange range;
        BitWindow digit; ///< empty of splitters
    };
    /// Keys that lie together and are sorted by counting.
    struct CountedRange {
        KeyRange range;
        std::size_t buffer = 0;
    };
    void sort_out(SortRangeRecord const& range);
    void sort_out(ArrivedSegment const& segment);
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
    void divide_by_digits(SegmentPart const* places, LabelTiles const& tiles, std::size_t from);
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
    LeafSizes leaf_sizes_;
    LevelDigits digits_;
    /// What is not queued yet: ranges of one value and of at most a leaf, segments that came in
    /// parts, ranges whose few values are counted, and others.
    std::vector<KeyRange> in_order_;
    std::vector<SortRangeRecord> leaf_ranges_;
    std::vector<ArrivedSegment const*> arrived_in_order_;
    std::vector<ArrivedSegment const*> arrived_counted_;
    std::vector<ArrivedSegment const*> arrived_;
    std::vector<CountedRange> counted_;
    std::map<int, std::vector<Segment>> segments_; ///< by level
    std::vector<std::pair<int, Segment>> later_;   ///< from piece_end_ on
    std::uint64_t piece_keys_;
    std::uint64_t piece_end_;
    std::uint64_t end_ = 0;               ///< of all keys
    int batch_level_ = 0;                 ///< of the children of the queued batch
    std::vector<BitWindow> batch_digits_; ///< of its segments, in their order
    int batch_child_bits_ = 0;            ///< of digits: its step's, a segment has 2^this children
    bool batch_has_kinds_ = false; ///< of children, which it has not where it is sorted by counting
    int first_buffer_;
};

} // namespace keyswap::kernels
