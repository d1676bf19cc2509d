/// \file A GPU's own ranges sorted in one batch, in the place of all levels: what kernels are for,
/// and only a GPU shows. What comes before and after is as on a GPU.

#include "kernels/sorts/local/local_sort.hpp"

#include "kernels/emulation/host_words.hpp"
#include "kernels/primitives/leaf_sort.hpp"
#include "kernels/primitives/partition_kernels.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::kernels {

namespace {

/// Sorts elements of a buffer where they are, and turns images into keys.
void sort_in_buffer(RunContext const& context,
                    GpuState const& gpu,
                    std::size_t buffer,
                    KeyRange range,
                    int end_bit) {
    SortBuffers at = buffers_at(gpu.buffers, context.shape, range.offset);
    std::vector<std::byte> keys(bytes_of(range.count, context.shape.key_bytes));
    std::vector<std::byte> values(bytes_of(range.count, context.shape.value_bytes));
    SortBuffers const own{{at.keys[buffer], keys.data()}, {at.values[buffer], values.data()}, 0};
    if (launch_radix_sort(gpu.stream, context.shape, own, range.count, {0, end_bit}, nullptr, 0) ==
        1) {
        std::ranges::copy(keys, static_cast<std::byte*>(at.keys[buffer]));
        std::ranges::copy(values, static_cast<std::byte*>(at.values[buffer]));
    }
    launch_image_change(gpu.stream,
                        context.shape.key_bytes,
                        at.keys[buffer],
                        range.count,
                        context.code,
                        ImageChange::decode);
}

/// Copies elements from the other buffer to a place in the current one.
void move_part(RunContext const& context, GpuState const& gpu, KeyRange from, std::uint64_t to) {
    auto const current = static_cast<std::size_t>(gpu.buffers.current);
    SortBuffers const source = buffers_at(gpu.buffers, context.shape, from.offset);
    SortBuffers const target = buffers_at(gpu.buffers, context.shape, to);
    copy_async(gpu.stream,
               gpu.device,
               target.keys[current],
               gpu.device,
               source.keys[1 - current],
               bytes_of(from.count, context.shape.key_bytes));
    copy_async(gpu.stream,
               gpu.device,
               target.values[current],
               gpu.device,
               source.values[1 - current],
               bytes_of(from.count, context.shape.value_bytes));
}

} // namespace

std::optional<LocalLevels>
lone_levels(RunContext const& /*context*/, GpuState const& /*gpu*/, DigitRow const& /*row*/) {
    return std::nullopt;
}

LocalSort::LocalSort(RunContext const& context,
                     GpuState& gpu,
                     LocalMemory const& memory,
                     LocalWork work,
                     LocalLevels levels)
    : context_(context), gpu_(gpu), memory_(memory), levels_(levels), leaf_sizes_{},
      leaf_ranges_(work.ranges.begin(), work.ranges.end()), arrived_(work.arrived),
      piece_keys_(work.piece_keys), piece_end_(work.piece_keys),
      first_buffer_(gpu.buffers.current) {
    for (SortRangeRecord const& range : work.ranges) {
        end_ = std::max(end_, range.offset + range.count);
    }
    gpu.buffers.current = 1 - first_buffer_; // where the result goes
}

void LocalSort::queue_batch() {
    auto const result = static_cast<std::size_t>(gpu_.buffers.current);
    for (SortRangeRecord const& range : leaf_ranges_) {
        move_part(context_, gpu_, {range.offset, range.count}, range.offset);
        sort_in_buffer(context_, gpu_, result, {range.offset, range.count}, range.end_bit);
    }
    for (ArrivedSegment const& segment : arrived_) {
        std::uint64_t to = segment.begin;
        for (ArrivedPart const& part : segment.parts) {
            move_part(context_, gpu_, {part.offset, part.count}, to);
            to += part.count;
        }
        sort_in_buffer(context_, gpu_, result, {segment.begin, segment.count}, segment.end_bit);
    }
}

std::uint64_t LocalSort::sorted_end() const {
    return leaf_ranges_.empty() && arrived_.empty() ? end_ : 0;
}

void LocalSort::await_batch() {
    leaf_ranges_.clear();
    arrived_ = {};
}

/// Of levels alone, which are not emulated.
void launch_child_kinds(cudaStream_t /*stream*/,
                        LeafSizes const& /*sizes*/,
                        ChildTable const& /*table*/,
                        std::uint32_t /*children*/,
                        ChildCursors /*at*/) {
    KEYSWAP_EXPECTS(false);
}

} // namespace keyswap::kernels
