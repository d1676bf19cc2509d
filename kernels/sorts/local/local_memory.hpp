#pragma once

/// \file What the sort of a GPU's own ranges keeps from call to call.

#include "kernels/primitives/label_step.hpp"
#include "kernels/primitives/leaf_sort.hpp"
#include "kernels/sorts/sort_driver.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

/// What divides a segment.
enum class LocalRule {
    splitters, ///< drawn from its keys, so that skew costs nothing
    digits     ///< of keys without values, from the highest bits on
};

/// Segments of one launch, tiles and large children that a GPU needs at most.
struct LocalSizes {
    LocalRule rule = LocalRule::splitters;
    std::size_t segments = 0;
    std::size_t tiles = 0;
    std::size_t large = 0; ///< children above a leaf's size

    [[nodiscard]] std::size_t children_a_segment() const {
        return rule == LocalRule::digits ? std::size_t{1} << wide_step_bits : tree_words;
    }
    /// Children of all segments of a launch.
    [[nodiscard]] std::size_t children() const { return segments * children_a_segment(); }
};

struct LocalMemory final : SortMemory {
    LocalSizes sizes;
    DeviceBuffer<std::uint8_t> labels;    ///< [tiles][keys of a tile]; of splitters, as are trees
    DeviceBuffer<std::uint32_t> bins;     ///< [children]; of digits
    DeviceBuffer<std::uint32_t> taken;    ///< [children]; of digits
    PinnedBuffer<std::uint32_t> crowding; ///< [1]; of digits: see launch_crowding_sample
    DeviceBuffer<SegmentPart> parts;      ///< [segments], then [large] of copies
    PinnedBuffer<SegmentPart> host_parts;
    DeviceBuffer<SortTile> tiles;
    DeviceBuffer<std::byte> trees;      ///< [segments][tree_words] words of a key
    PinnedBuffer<std::byte> host_trees; ///< of passes across GPUs: [g - 1][tree_words]
    DeviceBuffer<SplitSegment> segments;
    PinnedBuffer<SplitSegment> host_segments;
    DeviceBuffer<std::uint64_t> counts;   ///< [children]
    DeviceBuffer<std::uint64_t> cursors;  ///< [children]
    DeviceBuffer<std::uint8_t> one_value; ///< [children]
    DeviceBuffer<std::uint32_t> leaves;   ///< [leaf_classes][children]
    DeviceBuffer<ChildKinds> kinds;       ///< [1]
    PinnedBuffer<ChildKinds> host_kinds;
    PinnedBuffer<LargeChild> large;
    /// [passes][draws] of all passes, from all GPUs; on the first GPU only.
    PinnedBuffer<std::uint64_t> sample;
};

[[nodiscard]] SortScratch
local_scratch(LocalRule rule, SortOptions const& options, std::uint64_t capacity);
/// \pre digits: the options have no values
[[nodiscard]] std::unique_ptr<LocalMemory>
make_local_memory(LocalRule rule, SortOptions const& options, GpuId gpu, std::uint64_t capacity);

/// \pre the GPU's sorter has it
[[nodiscard]] LocalMemory const& local_memory(GpuState const& gpu);

/// Appends parts to memory that is uploaded, and counts their tiles.
class SegmentParts {
  public:
    /// \param first where in the memory they begin
    SegmentParts(LocalMemory const& memory, std::size_t first, ElementShape shape)
        : memory_(memory), first_(first), keys_per_tile_(label_tile_keys(shape)) {}

    void add(KeyRange range);
    /// Uploads them and makes their tiles, in the stream.
    void upload(cudaStream_t stream) const;
    /// Their tiles, once they are uploaded: one segment a part.
    [[nodiscard]] LabelTiles tiles(int child_bits = tree_levels) const;
    /// On the device.
    [[nodiscard]] SegmentPart const* data() const { return memory_.parts.data() + first_; }

  private:
    LocalMemory const& memory_;
    std::size_t first_;
    std::uint32_t keys_per_tile_;
    std::uint32_t count_ = 0;
    std::uint32_t tiles_ = 0;
};

} // namespace keyswap::kernels
