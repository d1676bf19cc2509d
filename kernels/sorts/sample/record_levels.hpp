#pragma once

/// \file Sample sort of records of any type on one GPU, level by level: what does not depend on the
/// type. Source: GPU Sample Sort (Leischner, Osipov, Sanders, IPDPS 2010), section 4.

#include "kernels/local/segment_memory.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/sample/record_shape.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace keyswap::kernels {

/// The two arrays that levels move records between.
enum class RecordArray {
    given, ///< the caller's, where the sort begins and ends
    spare  ///< of the sorter
};

/// What depends on the records' type. Each queues kernels in the stream.
class RecordSteps {
  public:
    virtual ~RecordSteps() = default;

    /// Draws from each segment and makes its tree.
    /// \param segments [count] device \param one_value [count][tree_words] device: children of
    /// equal records
    virtual void make_trees(cudaStream_t stream,
                            RecordArray from,
                            SplitSegment const* segments,
                            std::uint32_t count,
                            std::uint8_t* one_value) const = 0;
    /// Labels the tiles' records by child, and adds to each segment's counts.
    /// \param labels [tiles][tile size] device \param counts [segments][tree_words] device
    virtual void label(cudaStream_t stream,
                       RecordArray from,
                       LabelTiles const& tiles,
                       std::uint8_t* labels,
                       std::uint64_t* counts) const = 0;
    /// Moves the tiles' records to the other array, where their labels' cursors are.
    virtual void move(cudaStream_t stream,
                      RecordArray from,
                      LabelTiles const& tiles,
                      std::uint8_t const* labels,
                      std::uint64_t* cursors) const = 0;
    /// Sorts all leaves into the given array, the largest class first.
    virtual void sort_leaves(cudaStream_t stream,
                             RecordArray from,
                             ChildTable const& table,
                             ChildKinds const& kinds) const = 0;
    /// Copies what the tiles cover from the spare array to the given one.
    virtual void copy_back(cudaStream_t stream, LabelTiles const& tiles) const = 0;
};

/// The levels, and the memory of all of them but the spare array and trees.
class RecordLevels {
  public:
    /// \throws CudaFailure
    RecordLevels(int device, RecordShape const& shape, std::uint64_t count_max);

    [[nodiscard]] std::uint64_t count_max() const { return count_max_; }
    /// Segments that steps are given at once, at most.
    [[nodiscard]] std::uint32_t segments_max() const {
        return static_cast<std::uint32_t>(segments_.size());
    }

    /// Sorts the given array; returns when it is done.
    /// \pre count <= count_max()
    [[nodiscard]] SortExpected<void>
    sort(RecordSteps const& steps, std::uint64_t count, cudaStream_t stream);

  private:
    struct Segment {
        std::uint64_t begin = 0;
        std::uint64_t count = 0;
    };
    /// By how often they were divided.
    using Pending = std::map<int, std::vector<Segment>>;

    void queue_whole(std::uint64_t count, cudaStream_t stream) const;
    void divide(RecordSteps const& steps,
                int level,
                std::vector<Segment> const& segments,
                cudaStream_t stream) const;
    void finish_children(RecordSteps const& steps,
                         int level,
                         Pending& pending,
                         cudaStream_t stream) const;
    /// \returns how many records no level could divide; none where all are sorted
    [[nodiscard]] std::optional<std::uint64_t>
    sort_levels(RecordSteps const& steps, std::uint64_t count, cudaStream_t stream) const;

    int device_;
    RecordShape shape_;
    std::uint64_t count_max_;
    PartMemory parts_; ///< of segments, then of copies
    ChildMemory children_;
    DeviceBuffer<SplitSegment> segments_;
    PinnedBuffer<SplitSegment> host_segments_;
    DeviceBuffer<std::uint8_t> labels_;
};

} // namespace keyswap::kernels
