#include "kernels/sorts/local/segment_memory.hpp"

#include "kernels/device/cuda_check.hpp"
#include "traces/errors/contracts.hpp"

#include <span>

namespace keyswap::kernels {

PartMemory make_part_memory(int device, std::size_t parts, std::size_t tiles) {
    return {DeviceBuffer<SegmentPart>{device, parts},
            PinnedBuffer<SegmentPart>{parts},
            DeviceBuffer<SortTile>{device, tiles}};
}

ChildMemory make_child_memory(int device, std::size_t children, std::size_t large) {
    return {DeviceBuffer<std::uint64_t>{device, children},
            DeviceBuffer<std::uint64_t>{device, children},
            DeviceBuffer<std::uint8_t>{device, children},
            DeviceBuffer<std::uint32_t>{device, (leaf_classes + 1) * children},
            DeviceBuffer<ChildKinds>{device, 1},
            PinnedBuffer<ChildKinds>{1},
            PinnedBuffer<LargeChild>{large}};
}

ChildTable ChildMemory::table() const {
    return {static_cast<std::uint32_t>(counts.size()),
            counts.data(),
            cursors.data(),
            one_value.data(),
            leaves.data(),
            large.data(),
            kinds.data()};
}

void ChildMemory::queue_kinds(cudaStream_t stream,
                              LeafSizes const& sizes,
                              std::size_t count,
                              ChildCursors at) const {
    launch_child_kinds(stream, sizes, table(), static_cast<std::uint32_t>(count), at);
    KEYSWAP_CUDA(cudaMemcpyAsync(
        host_kinds.data(), kinds.data(), sizeof(ChildKinds), cudaMemcpyDeviceToHost, stream));
}

void SegmentParts::add(std::uint64_t begin, std::uint64_t count) {
    std::span<SegmentPart> const memory = memory_.host_parts.span();
    KEYSWAP_EXPECTS(first_ + count_ < memory.size());
    memory[first_ + count_] = {begin, count, begin, count_, tiles_, tiles_, 0};
    ++count_;
    tiles_ += static_cast<std::uint32_t>((count + keys_per_tile_ - 1) / keys_per_tile_);
}

void SegmentParts::upload(cudaStream_t stream) const {
    KEYSWAP_EXPECTS(tiles_ <= memory_.tiles.size());
    SegmentPart* const parts = memory_.parts.data() + first_;
    if (count_ > 0) {
        KEYSWAP_CUDA(cudaMemcpyAsync(parts,
                                     memory_.host_parts.data() + first_,
                                     count_ * sizeof(SegmentPart),
                                     cudaMemcpyHostToDevice,
                                     stream));
        launch_tiles(stream, parts, count_, tiles_, keys_per_tile_, memory_.tiles.data());
    }
}

LabelTiles SegmentParts::tiles(int child_bits) const {
    return {memory_.tiles.data(), tiles_, count_, keys_per_tile_, child_bits};
}

} // namespace keyswap::kernels
