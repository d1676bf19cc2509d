/// \file A GPU's own ranges sorted at once, in the place of all levels: what kernels are for, and
/// only a GPU shows. What comes before and after is as on a GPU.

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

/// Copies elements from the current buffer to a place in the other one.
void move_part(RunContext const& context, GpuState const& gpu, KeyRange from, std::uint64_t to) {
    auto const current = static_cast<std::size_t>(gpu.buffers.current);
    SortBuffers const source = buffers_at(gpu.buffers, context.shape, from.offset);
    SortBuffers const target = buffers_at(gpu.buffers, context.shape, to);
    copy_async(gpu.stream,
               gpu.device,
               target.keys[1 - current],
               gpu.device,
               source.keys[current],
               bytes_of(from.count, context.shape.key_bytes));
    copy_async(gpu.stream,
               gpu.device,
               target.values[1 - current],
               gpu.device,
               source.values[current],
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
      arrived_(work.arrived), first_buffer_(gpu.buffers.current) {}

void LocalSort::queue_batch() {
    int const other = 1 - gpu_.buffers.current;
    for (ArrivedSegment const& segment : arrived_) {
        std::uint64_t to = segment.begin;
        for (ArrivedPart const& part : segment.parts) {
            move_part(context_, gpu_, {part.offset, part.count}, to);
            to += part.count;
        }
        sort_in_buffer(context_,
                       gpu_,
                       static_cast<std::size_t>(other),
                       {segment.begin, segment.count},
                       segment.end_bit);
    }
    arrived_ = {};
    gpu_.buffers.current = other;
}

void run_together(std::deque<LocalSort>& sorts) {
    for (LocalSort& sort : sorts) {
        sort.queue_batch();
    }
}

void sort_locally(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  std::span<SortRangeRecord const> ranges,
                  LocalLevels /*levels*/) {
    for (GpuState& gpu : gpus) {
        for (SortRangeRecord const& range : ranges) {
            if (range.gpu == gpu.id) {
                sort_in_buffer(context,
                               gpu,
                               static_cast<std::size_t>(gpu.buffers.current),
                               {range.offset, range.count},
                               range.end_bit);
            }
        }
    }
}

void copy_ranges_back(RunContext const& context,
                      std::vector<GpuState> const& gpus,
                      std::span<OwnershipRecord const> ownership,
                      HostArrays const& host) {
    for (GpuState const& gpu : gpus) {
        copy_owned_to_host(context, gpu, ownership[gpu.id.value], host);
    }
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
