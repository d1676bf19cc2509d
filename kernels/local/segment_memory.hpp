#pragma once

/// \file GPU memory for a level of any sort by segments: its segments, their tiles, and its
/// children.

#include "kernels/device/device_buffer.hpp"
#include "kernels/exchange_plan/arrived_segment.hpp"
#include "kernels/primitives/leaves/leaf_sort.hpp"
#include "kernels/primitives/steps/label_step.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

struct PartMemory {
    DeviceBuffer<SegmentPart> parts;
    PinnedBuffer<SegmentPart> host_parts; ///< same size as parts
    DeviceBuffer<SortTile> tiles;
};
[[nodiscard]] PartMemory make_part_memory(int device, std::size_t parts, std::size_t tiles);

struct ChildMemory {
    DeviceBuffer<std::uint64_t> counts;   ///< [children]
    DeviceBuffer<std::uint64_t> cursors;  ///< [children]
    DeviceBuffer<std::uint8_t> one_value; ///< [children]
    DeviceBuffer<std::uint32_t> leaves;   ///< [leaf_classes + 1][children]
    DeviceBuffer<ChildKinds> kinds;       ///< [1]
    PinnedBuffer<ChildKinds> host_kinds;
    PinnedBuffer<LargeChild> large;

    /// Table of the children, with cursors at their ends.
    [[nodiscard]] ChildTable table() const;
    /// Classifies the first `count` children and downloads the numbers of each kind.
    void queue_kinds(cudaStream_t stream,
                     LeafSizes const& sizes,
                     std::size_t count,
                     ChildCursors at = ChildCursors::at_ends) const;
};
/// \param children of all segments of a launch \param large most children larger than a leaf
[[nodiscard]] ChildMemory make_child_memory(int device, std::size_t children, std::size_t large);

/// Appends parts to pinned memory for upload and counts their tiles.
class SegmentParts {
  public:
    /// \param first index of the first part in the memory
    SegmentParts(PartMemory const& memory, std::size_t first, std::uint32_t keys_per_tile)
        : memory_(memory), first_(first), keys_per_tile_(keys_per_tile) {}

    /// Adds a contiguous segment; its destination has the same indices. \param digit the segment's
    /// own digit; empty if the launch has one for all segments
    void add(std::uint64_t begin, std::uint64_t count, BitWindow digit = {});
    /// Adds a part of a segment. \param destination offset of the segment in the result
    /// \pre parts of a segment are added consecutively
    void add_part(ArrivedPart part,
                  std::uint64_t destination,
                  std::uint32_t segment,
                  BitWindow digit = {});
    /// Queues the upload of the parts.
    void upload_parts(cudaStream_t stream) const;
    /// Queues the kernel that writes the tiles of the uploaded parts.
    void queue_tiles(cudaStream_t stream, DeviceBuffer<SortTile> const& tiles) const;
    /// Queues the upload of the parts and the kernel that writes their tiles to the memory.
    void upload(cudaStream_t stream) const;
    /// The tiles of the parts, valid once upload() is queued.
    [[nodiscard]] LabelTiles tiles(int child_bits = tree_levels) const;
    /// The uploaded parts, in device memory.
    [[nodiscard]] SegmentPart const* data() const { return memory_.parts.data() + first_; }
    [[nodiscard]] PartTable table() const { return {data(), count_, segments_}; }
    [[nodiscard]] std::uint32_t tile_count() const { return tiles_; }
    /// Index behind the last part in the memory.
    [[nodiscard]] std::size_t end() const { return first_ + count_; }

  private:
    PartMemory const& memory_;
    std::size_t first_;
    std::uint32_t keys_per_tile_;
    std::uint32_t count_ = 0;
    std::uint32_t tiles_ = 0;
    std::uint32_t segments_ = 0;
    std::uint32_t segment_tile_ = 0;
};

} // namespace keyswap::kernels
