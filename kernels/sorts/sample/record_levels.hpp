#pragma once

/// \file The part of sample sort of records on one GPU, level by level, that is independent of
/// their type. Source: GPU Sample Sort (Leischner, Osipov, Sanders, IPDPS 2010), section 4.

#include "kernels/local/segment_memory.hpp"
#include "kernels/primitives/partition/placement_rule.hpp"
#include "kernels/sort.hpp"
#include "kernels/sorts/sample/record_shape.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace keyswap::kernels {

/// The two arrays between which levels move records.
enum class RecordArray {
    given, ///< the caller's; holds input and result
    spare  ///< owned by the sorter
};

/// The steps that depend on the records' type. Each queues kernels in the stream.
class RecordSteps {
  public:
    virtual ~RecordSteps() = default;

    /// Samples each segment and writes its tree.
    /// \param segments [count] device \param one_value [count][tree_words] device: set to 1 for
    /// children of equal records, otherwise to 0
    virtual void make_trees(cudaStream_t stream,
                            RecordArray from,
                            SplitSegment const* segments,
                            std::uint32_t count,
                            std::uint8_t* one_value) const = 0;
    /// Labels the tiles' records by child and adds them to each segment's counts.
    /// \param labels [tiles][tile size] device \param counts [segments][tree_words] device
    virtual void label(cudaStream_t stream,
                       RecordArray from,
                       LabelTiles const& tiles,
                       std::uint8_t* labels,
                       std::uint64_t* counts) const = 0;
    /// Moves the tiles' records to the other array, to the cursors of their labels.
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
    /// Copies the tiles' ranges from the spare array to the given one.
    virtual void copy_back(cudaStream_t stream, LabelTiles const& tiles) const = 0;
};

/// The levels, and all memory of a sort except for the spare array and trees.
class RecordLevels {
  public:
    /// \throws CudaFailure
    RecordLevels(int device, RecordShape const& shape, std::uint64_t count_max);

    [[nodiscard]] std::uint64_t count_max() const { return count_max_; }
    /// Most segments passed to a step at once.
    [[nodiscard]] std::uint32_t segments_max() const {
        return static_cast<std::uint32_t>(segments_.size());
    }

    /// Sorts the given array and waits for the result.
    /// \pre count <= count_max()
    [[nodiscard]] SortExpected<void>
    sort(RecordSteps const& steps, std::uint64_t count, cudaStream_t stream);

  private:
    /// Segments by the number of levels that divided them.
    using Pending = std::map<int, std::vector<KeyRange>>;

    void queue_whole(std::uint64_t count, cudaStream_t stream) const;
    void divide(RecordSteps const& steps,
                int level,
                std::vector<KeyRange> const& segments,
                cudaStream_t stream) const;
    void finish_children(RecordSteps const& steps,
                         int level,
                         Pending& pending,
                         cudaStream_t stream) const;
    /// \returns the number of records that no level could divide; nullopt if all are sorted
    [[nodiscard]] std::optional<std::uint64_t>
    sort_levels(RecordSteps const& steps, std::uint64_t count, cudaStream_t stream) const;

    int device_;
    RecordShape shape_;
    std::uint64_t count_max_;
    PartMemory parts_; ///< of segments, later of ranges to copy back
    ChildMemory children_;
    DeviceBuffer<SplitSegment> segments_;
    PinnedBuffer<SplitSegment> host_segments_;
    DeviceBuffer<std::uint8_t> labels_;
};

} // namespace keyswap::kernels
