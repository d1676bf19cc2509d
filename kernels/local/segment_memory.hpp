#pragma once

/// \file What a level of any sort by segments needs on the GPU: its segments as tiles, and its
/// children.

#include "kernels/device/device_buffer.hpp"
#include "kernels/exchange_plan/arrived_segment.hpp"
#include "kernels/primitives/leaves/leaf_sort.hpp"
#include "kernels/primitives/steps/label_step.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

struct PartMemory {
    DeviceBuffer<SegmentPart> parts;
    PinnedBuffer<SegmentPart> host_parts; ///< as many as parts
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

    /// Of children whose cursors are where they end.
    [[nodiscard]] ChildTable table() const;
    /// Divides the first `count` children by kind, and takes the kinds to the host.
    void queue_kinds(cudaStream_t stream,
                     LeafSizes const& sizes,
                     std::size_t count,
                     ChildCursors at = ChildCursors::at_ends) const;
};
/// \param children of all segments of a launch \param large children above a leaf's size, at most
[[nodiscard]] ChildMemory make_child_memory(int device, std::size_t children, std::size_t large);

/// Appends parts to memory that is uploaded, and counts their tiles.
class SegmentParts {
  public:
    /// \param first where in the memory they begin
    SegmentParts(PartMemory const& memory, std::size_t first, std::uint32_t keys_per_tile)
        : memory_(memory), first_(first), keys_per_tile_(keys_per_tile) {}

    /// A segment whose keys lie together, and stay where they are. \param digit empty where the
    /// launch is not by segments' own
    void add(std::uint64_t begin, std::uint64_t count, BitWindow digit = {});
    /// A part of a segment that lies elsewhere. \param destination of the segment
    /// \pre parts of a segment come one after the other
    void add_part(ArrivedPart part,
                  std::uint64_t destination,
                  std::uint32_t segment,
                  BitWindow digit = {});
    /// Uploads them, in the stream.
    void upload_parts(cudaStream_t stream) const;
    /// Uploads them and makes their tiles.
    void upload(cudaStream_t stream) const;
    /// Their tiles, once they are made.
    [[nodiscard]] LabelTiles tiles(int child_bits = tree_levels) const;
    /// On the device.
    [[nodiscard]] SegmentPart const* data() const { return memory_.parts.data() + first_; }

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
