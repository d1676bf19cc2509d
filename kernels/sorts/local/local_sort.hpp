#pragma once

/// \file The sort of one GPU's ranges: level by level, each dividing all segments above a leaf's
/// size, and leaves as soon as there are any. Sources: GPU Sample Sort, section 4; by digits as in
/// Stehle, Jacobsen: A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, SIGMOD 2017.

#include "kernels/sorts/local/arrived_segment.hpp"
#include "kernels/sorts/local/digit_choice.hpp"
#include "kernels/sorts/local/local_memory.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace keyswap::kernels {

/// How a level divides its segments.
enum class LevelMethod {
    splitters,           ///< labels are kept, and a tile is ordered before it is written
    splitters_published, ///< sample sort as published: direct_step.hpp, quicksort_leaves.hpp
    digits               ///< from the highest bits on
};

struct LocalLevels {
    LevelMethod method = LevelMethod::splitters;
    /// What two levels of digits leave of 32 bits is sorted by counting.
    bool counting = false;
};

/// How the keys of a sort's only GPU are divided: by digits where these make leaves in about as few
/// levels as if the keys were spread evenly, or as the row says where few values of the digits hold
/// most keys; nothing for few keys, and where CUB is to sort. Waits for a look at some keys.
/// \pre images lie in the current buffer of the GPU, which has the memory that the row needs
[[nodiscard]] std::optional<LocalLevels>
lone_levels(RunContext const& context, GpuState const& gpu, DigitRow const& row);

/// What one GPU sorts: either ranges that lie where they belong, or segments that came in parts.
struct LocalWork {
    std::span<SortRangeRecord const> ranges{}; ///< end_bit 0 means that one holds one value
    std::span<ArrivedSegment const> arrived{}; ///< those of one end_bit are neighbours
    /// About so many keys are sorted before any that follow them, once a level has told these
    /// apart; 0: all together.
    std::uint64_t piece_keys = 0;
};

/// The sort of one GPU. Batches alternate between being queued and being waited for, so that one
/// thread keeps several GPUs busy.
class LocalSort {
  public:
    /// \pre images lie in the GPU's current buffer; segments that came in parts are divided by
    /// digits, and their places have room in the other buffer
    LocalSort(RunContext const& context,
              GpuState& gpu,
              LocalMemory const& memory,
              LocalWork work,
              LocalLevels levels);

    [[nodiscard]] bool is_done() const {
        return in_order_.empty() && leaf_ranges_.empty() && arrived_.empty() && segments_.empty() &&
               later_.empty();
    }
    /// Where the first of the keys lies that are not yet in their place once all that is queued is
    /// done. \pre batches are awaited
    [[nodiscard]] std::uint64_t sorted_end() const;
    /// Queues the next batch of segments, all of one level. \pre !is_done()
    void queue_batch();
    /// Waits until the sizes of its children are known, which is before their keys are moved, and
    /// queues its leaves. Once is_done(), keys (not images) lie in the other buffer, which is
    /// current from then on.
    void await_batch();

  private:
    /// Segments that one launch can divide.
    struct Batch {
        int level = 0;
        BitWindow window; ///< of digits; empty of splitters
        friend auto operator<=>(Batch const& a, Batch const& b) {
            return std::tuple(a.level, a.window.begin, a.window.end) <=>
                   std::tuple(b.level, b.window.begin, b.window.end);
        }
    };
    void sort_out(SortRangeRecord const& range);
    void add_segment(KeyRange range);
    void take_next_piece();
    void queue_leaf_ranges();
    void queue_arrived();
    void queue_segments();
    void join_narrower_digits();
    void queue_trees(std::size_t count, std::size_t from, TreeShape const& shape);
    void divide_by_splitters(SegmentParts const& parts, std::size_t count, std::size_t from);
    void divide_as_published(SegmentParts const& parts, std::size_t count, std::size_t from);
    void divide_by_digits(SegmentPart const* segments,
                          LabelTiles const& tiles,
                          std::size_t from,
                          BitWindow window);
    [[nodiscard]] Batch batch_of(std::uint64_t count) const;
    void queue_kinds(std::size_t children, ChildCursors at);
    void sort_leaves();
    void sort_leaves_as_published(ChildKinds const& kinds, std::size_t from, std::size_t to);
    void copy_large(std::vector<KeyRange> const& ranges);
    [[nodiscard]] std::size_t buffer_of(int level) const;

    RunContext const& context_;
    GpuState& gpu_;
    LocalMemory const& memory_;
    LocalLevels levels_;
    LeafSizes leaf_sizes_;
    /// What is not queued yet: ranges of one value and of at most a leaf, segments that came in
    /// parts, and others.
    std::vector<KeyRange> in_order_;
    std::vector<SortRangeRecord> leaf_ranges_;
    std::span<ArrivedSegment const> arrived_;
    std::map<Batch, std::vector<KeyRange>> segments_;
    std::vector<std::pair<Batch, KeyRange>> later_; ///< from piece_end_ on
    std::uint64_t piece_keys_;
    std::uint64_t piece_end_;
    std::uint64_t end_ = 0;        ///< of all keys
    int batch_level_ = 0;          ///< of the children of the queued batch
    int batch_end_ = 0;            ///< bits that they have left to sort, of digits
    bool batch_has_kinds_ = false; ///< of children, which it has not where it is sorted by counting
    int first_buffer_;
};

} // namespace keyswap::kernels
