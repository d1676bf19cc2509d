#include "kernels/local/segment_memory.hpp"

#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/copy_kernels.hpp"
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
    copy_table(stream, host_kinds.data(), kinds.data(), 1);
}

void SegmentParts::add(std::uint64_t begin, std::uint64_t count, BitWindow digit) {
    add_part({begin, count}, begin, segments_, digit);
}

void SegmentParts::add_part(ArrivedPart part,
                            std::uint64_t destination,
                            std::uint32_t segment,
                            BitWindow digit) {
    std::span<SegmentPart> const memory = memory_.host_parts.span();
    KEYSWAP_EXPECTS(first_ + count_ < memory.size());
    KEYSWAP_EXPECTS(segment == segments_ || segment + 1 == segments_);
    if (segment == segments_) {
        segments_ += 1;
        segment_tile_ = tiles_;
    }
    KeyBuffer const buffer =
        has_fault(DeviceFault::stayed_part_from_input) ? KeyBuffer::input : part.buffer;
    OwnDigit const own{static_cast<std::uint8_t>(digit.begin),
                       static_cast<std::uint8_t>(digit.end - digit.begin)};
    memory[first_ + count_] = {
        part.offset, part.count, destination, segment, tiles_, segment_tile_, buffer, own};
    ++count_;
    tiles_ += static_cast<std::uint32_t>((part.count + keys_per_tile_ - 1) / keys_per_tile_);
}

void SegmentParts::upload_parts(cudaStream_t stream) const {
    copy_table(stream, memory_.parts.data() + first_, memory_.host_parts.data() + first_, count_);
}

void SegmentParts::queue_tiles(cudaStream_t stream, DeviceBuffer<SortTile> const& tiles) const {
    KEYSWAP_EXPECTS(tiles_ <= tiles.size());
    launch_tiles(stream, data(), count_, tiles_, keys_per_tile_, tiles.data());
}

void SegmentParts::upload(cudaStream_t stream) const {
    upload_parts(stream);
    queue_tiles(stream, memory_.tiles);
}

LabelTiles SegmentParts::tiles(int child_bits) const {
    return {memory_.tiles.data(), tiles_, segments_, keys_per_tile_, child_bits};
}

} // namespace keyswap::kernels
