#include "kernels/sorts/rmg/key_swap.hpp"

#include "kernels/faults/device_faults.hpp"
#include "kernels/sorts/rmg/pair_swap.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Paper, section 3.3: with fewer ranges the copy back follows the sort.
constexpr std::size_t overlapped_ranges_min = 4;

std::uint64_t key_bytes_of(RunContext const& context, std::uint64_t count) {
    return count * static_cast<std::uint64_t>(context.shape.key_bytes);
}

std::uint64_t value_bytes_of(RunContext const& context, std::uint64_t count) {
    return count * static_cast<std::uint64_t>(context.shape.value_bytes);
}

std::vector<std::vector<SortRangeRecord>> ranges_by_gpu(SwapPlan const& plan) {
    std::vector<std::vector<SortRangeRecord>> ranges(plan.ownership.size());
    for (SortRangeRecord const& range : plan.ranges) {
        ranges[range.gpu.value].push_back(range);
    }
    return ranges;
}

/// Sorts a range and decodes it; returns the place of the result.
int sort_range(RunContext const& context, Rank const& rank, SortRangeRecord const& range) {
    SortBuffers const at = buffers_at(rank.place, context.shape, range.offset);
    bool const leaves_last = has_fault(DeviceFault::last_key_not_sorted) && range.count > 0;
    int const end_bit = has_fault(DeviceFault::one_bit_too_few) ? range.end_bit - 1 : range.end_bit;
    ImageCode code = context.code;
    if (has_fault(DeviceFault::descending_forgotten)) {
        code.direction = Direction::ascending;
    }
    int const place = launch_radix_sort(rank.stream,
                                        context.shape,
                                        at,
                                        leaves_last ? range.count - 1 : range.count,
                                        {range.begin_bit, end_bit},
                                        rank.resources->sort_temp.data(),
                                        rank.resources->sort_temp.size());
    launch_image_change(rank.stream,
                        context.shape.key_bytes,
                        at.keys[static_cast<std::size_t>(place)],
                        range.count,
                        code,
                        ImageChange::decode);
    return place;
}

/// Brings ranges that ended in the other place to the one where most keys are.
void gather_ranges(RunContext const& context,
                   Rank& rank,
                   std::vector<SortRangeRecord> const& ranges,
                   std::vector<int> const& places) {
    std::uint64_t keys_in[2] = {0, 0};
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        keys_in[places[i]] += ranges[i].count;
    }
    int const target = keys_in[1] > keys_in[0] ? 1 : 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (places[i] != target) {
            copy_to_other_place(
                rank, context.shape, {ranges[i].offset, ranges[i].count}, places[i]);
        }
    }
    rank.place.current = target;
}

} // namespace

void copy_to_host(RunContext const& context,
                  Rank const& rank,
                  cudaStream_t stream,
                  SortRangeRecord const& range,
                  int from,
                  std::uint64_t base,
                  HostArrays const& host) {
    *context.input = InputState::lost;
    SortBuffers const at = buffers_at(rank.place, context.shape, range.offset);
    auto const place = static_cast<std::size_t>(from);
    KEYSWAP_CUDA(cudaMemcpyAsync(element(host.keys, context.shape.key_bytes, base + range.offset),
                                 at.keys[place],
                                 key_bytes_of(context, range.count),
                                 cudaMemcpyDeviceToHost,
                                 stream));
    if (context.shape.value_bytes > 0) {
        KEYSWAP_CUDA(
            cudaMemcpyAsync(element(host.values, context.shape.value_bytes, base + range.offset),
                            at.values[place],
                            value_bytes_of(context, range.count),
                            cudaMemcpyDeviceToHost,
                            stream));
    }
}

namespace {

std::vector<OwnedBucket> owned_by_gpu(Partition const& partition,
                                      std::vector<OwnershipRecord> const& ownership) {
    std::vector<OwnedBucket> owned = owned_buckets(partition.buckets, ownership);
    std::stable_sort(
        owned.begin(), owned.end(), [](auto const& a, auto const& b) { return a.gpu < b.gpu; });
    return owned;
}

} // namespace

SwapPlan make_swap_plan(RunContext const& context, Partition const& partition, Variant variant) {
    SwapPlan plan;
    plan.ownership = ownership_of(partition.buckets, context.rule, context.key_count);
    plan.owned = owned_by_gpu(partition, plan.ownership);
    plan.copies = bucket_copies(partition.buckets, plan.ownership);
    if (variant != Variant::paper) {
        plan.copies = rotated_copies(std::move(plan.copies), context.rule.gpu_count);
    }
    plan.ranges = sort_ranges(plan.owned, context.key_shape, context.fuse_below);
    return plan;
}

SwapPlan make_pair_plan(RunContext const& context, Partition const& partition) {
    SwapPlan plan;
    plan.layout = SwapLayout::by_source;
    plan.ownership = ownership_of(partition.buckets, context.rule, context.key_count);
    plan.copies =
        pair_copies(bucket_copies(partition.buckets, plan.ownership), context.rule.gpu_count);
    plan.owned = arrived_pieces(partition.buckets, plan.ownership, plan.copies);
    plan.ranges = whole_ranges(owned_by_gpu(partition, plan.ownership), context.key_shape);
    return plan;
}

void record_swap_plan(RunContext const& context, SwapPlan const& plan) {
    if (context.trace == nullptr) {
        return;
    }
    context.trace->declare(plan.layout);
    for (OwnershipRecord const& record : plan.ownership) {
        context.trace->write(record);
    }
    for (CopyRecord const& record : plan.copies) {
        context.trace->write(record);
    }
    for (SortRangeRecord const& record : plan.ranges) {
        context.trace->write(record);
    }
}

void swap_keys(RunContext const& context, std::vector<Rank>& ranks, SwapPlan const& plan) {
    NvtxRange const range{"key swap"};
    if (!has_fault(DeviceFault::swap_too_early)) {
        join_streams(ranks); // destinations have stopped using the place that the swap fills
    }
    context.mark_chunks_overwritten();
    std::vector<std::size_t> phases;
    for (Rank const& rank : ranks) {
        phases.push_back(
            context.clock->begin(rank.gpu, rank.device, rank.stream, Phase::key_swap, 0));
    }
    for (CopyRecord const& copy : plan.copies) {
        Rank const& source = ranks[copy.source.value];
        Rank const& destination = ranks[has_fault(DeviceFault::wrong_destination)
                                            ? (copy.destination.value + 1) % ranks.size()
                                            : copy.destination.value];
        auto const from = static_cast<std::size_t>(source.place.current);
        auto const to = static_cast<std::size_t>(has_fault(DeviceFault::wrong_buffer)
                                                     ? destination.place.current
                                                     : 1 - destination.place.current);
        SortBuffers const at_source = buffers_at(source.place, context.shape, copy.source_offset);
        SortBuffers const at_destination =
            buffers_at(destination.place, context.shape, copy.destination_offset);
        copy_async(source.stream,
                   destination.device,
                   at_destination.keys[to],
                   source.device,
                   at_source.keys[from],
                   key_bytes_of(context, copy.count));
        copy_async(
            source.stream,
            destination.device,
            at_destination.values[to],
            source.device,
            at_source.values[from],
            has_fault(DeviceFault::values_left_behind) ? 0 : value_bytes_of(context, copy.count));
    }
    for (Rank& rank : ranks) {
        context.clock->end(phases[rank.gpu.value], rank.stream);
    }
    if (!has_fault(DeviceFault::sort_too_early)) {
        // All keys have come, and all of the place that is sorted into has gone.
        join_streams(ranks);
    }
    for (Rank& rank : ranks) {
        rank.place.current = 1 - rank.place.current;
    }
}

void sort_buckets(RunContext const& context,
                  std::vector<Rank>& ranks,
                  SwapPlan const& plan,
                  std::optional<HostArrays> const& host) {
    NvtxRange const nvtx{"bucket sort"};
    std::vector<std::vector<SortRangeRecord>> const all_ranges = ranges_by_gpu(plan);
    for (Rank& rank : ranks) {
        DeviceScope const scope{rank.device};
        std::vector<SortRangeRecord> const& ranges = all_ranges[rank.gpu.value];
        std::uint64_t const base = plan.ownership[rank.gpu.value].base;
        bool const overlapped = host.has_value() && ranges.size() >= overlapped_ranges_min;
        cudaStream_t const copy_stream = rank.resources->copy_stream.get();
        auto const phase =
            context.clock->begin(rank.gpu,
                                 rank.device,
                                 rank.stream,
                                 overlapped ? Phase::bucket_sort_and_copy_back : Phase::bucket_sort,
                                 0);
        std::vector<int> places;
        for (SortRangeRecord const& range : ranges) {
            places.push_back(sort_range(context, rank, range));
            if (overlapped) {
                rank.resources->group_sorted.record(rank.stream);
                rank.resources->group_sorted.make_wait(copy_stream);
                copy_to_host(context, rank, copy_stream, range, places.back(), base, *host);
            }
        }
        if (overlapped) {
            rank.resources->group_sorted.record(copy_stream);
            rank.resources->group_sorted.make_wait(rank.stream);
            context.clock->end(phase, rank.stream);
        } else if (host.has_value()) {
            context.clock->end(phase, rank.stream);
            auto const copy_phase =
                context.clock->begin(rank.gpu, rank.device, rank.stream, Phase::device_to_host, 0);
            for (std::size_t i = 0; i < ranges.size(); ++i) {
                copy_to_host(context, rank, rank.stream, ranges[i], places[i], base, *host);
            }
            context.clock->end(copy_phase, rank.stream);
        } else {
            gather_ranges(context, rank, ranges, places);
            context.clock->end(phase, rank.stream);
        }
    }
}

} // namespace keyswap::kernels
