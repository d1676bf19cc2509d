#include "kernels/exchange/key_swap.hpp"

#include "kernels/exchange/rank_swap.hpp"
#include "kernels/exchange_plan/pair_swap.hpp"
#include "kernels/faults/device_faults.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Paper, section 3.3: with fewer ranges the download begins after the sort.
constexpr std::size_t overlapped_ranges_min = 4;

std::vector<std::vector<SortRangeRecord>> ranges_by_gpu(SwapPlan const& plan) {
    std::vector<std::vector<SortRangeRecord>> ranges(plan.ownership.size());
    for (SortRangeRecord const& range : plan.ranges) {
        ranges[range.gpu.value].push_back(range);
    }
    return ranges;
}

/// Sorts a range and decodes it; returns the index of the buffer that holds the result.
int sort_range(RunContext const& context, GpuState const& gpu, SortRangeRecord const& range) {
    SortBuffers const at = buffers_at(gpu.buffers, context.shape, range.offset);
    bool const leaves_last = has_fault(DeviceFault::last_key_not_sorted) && range.count > 0;
    int const end_bit = has_fault(DeviceFault::one_bit_too_few) ? range.end_bit - 1 : range.end_bit;
    ImageCode code = context.code;
    if (has_fault(DeviceFault::descending_forgotten)) {
        code.direction = Direction::ascending;
    }
    int const buffer = launch_radix_sort(gpu.stream,
                                         context.shape,
                                         at,
                                         leaves_last ? range.count - 1 : range.count,
                                         {range.begin_bit, end_bit},
                                         gpu.resources->sort_temp.data(),
                                         gpu.resources->sort_temp.size(),
                                         context.radix_policy);
    launch_image_change(gpu.stream,
                        context.shape.key_bytes,
                        at.keys[static_cast<std::size_t>(buffer)],
                        range.count,
                        code,
                        ImageChange::decode);
    return buffer;
}

/// Copies ranges that ended in the other buffer to the one that holds most keys.
void gather_ranges(RunContext const& context,
                   GpuState& gpu,
                   std::vector<SortRangeRecord> const& ranges,
                   std::vector<int> const& buffers) {
    std::uint64_t keys_in[2] = {0, 0};
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        keys_in[buffers[i]] += ranges[i].count;
    }
    int const target = keys_in[1] > keys_in[0] ? 1 : 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (buffers[i] != target) {
            copy_to_other_buffer(
                gpu, context.shape, {ranges[i].offset, ranges[i].count}, buffers[i]);
        }
    }
    gpu.buffers.current = target;
}

std::vector<OwnedBucket> owned_by_gpu(Partition const& partition,
                                      std::vector<OwnershipRecord> const& ownership) {
    std::vector<OwnedBucket> owned = owned_buckets(partition.buckets, ownership);
    std::stable_sort(
        owned.begin(), owned.end(), [](auto const& a, auto const& b) { return a.gpu < b.gpu; });
    return owned;
}

} // namespace

SwapPlan make_swap_plan(RunContext const& context, Partition const& partition, CopyOrder order) {
    SwapPlan plan;
    plan.ownership = ownership_of(partition.buckets, context.rule, context.key_count);
    plan.owned = owned_by_gpu(partition, plan.ownership);
    plan.copies = bucket_copies(partition.buckets, plan.ownership);
    if (order == CopyOrder::rotated) {
        plan.copies = rotated_copies(std::move(plan.copies), context.rule.gpu_count);
    }
    plan.ranges = sort_ranges(plan.owned, context.fuse_below);
    return plan;
}

SwapPlan make_pair_plan(RunContext const& context, Partition const& partition) {
    SwapPlan plan;
    plan.layout = SwapLayout::by_source;
    plan.ownership = ownership_of(partition.buckets, context.rule, context.key_count);
    plan.copies =
        pair_copies(bucket_copies(partition.buckets, plan.ownership), context.rule.gpu_count);
    plan.owned = arrived_pieces(partition.buckets, plan.ownership, plan.copies);
    plan.ranges = whole_ranges(owned_by_gpu(partition, plan.ownership));
    return plan;
}

SwapPlan make_single_gpu_plan(RunContext const& context) {
    SwapPlan plan;
    plan.ownership = {{GpuId{0}, 0, context.key_count}};
    if (context.key_count > 0) {
        ImageRange const images = all_images(context.key_shape.key_bits);
        plan.owned = {{GpuId{0}, BucketPrefix{0, 0}, 0, context.key_count, images}};
        plan.copies = {{GpuId{0}, 0, GpuId{0}, 0, context.key_count}};
        plan.ranges = bucket_ranges(plan.owned);
    }
    return plan;
}

void record_swap_plan(RunContext const& context, SwapPlan const& plan) {
    if (context.trace == nullptr) {
        return;
    }
    context.trace->declare(plan.layout);
    write_records(context, plan.ownership);
    write_records(context, plan.copies);
    write_records(context, plan.ranges);
}

void swap_keys(RunContext const& context, std::vector<GpuState>& gpus, SwapPlan const& plan) {
    NvtxRange const range{"key swap"};
    if (context.ranks != nullptr) {
        swap_with_ranks(context, gpus.front(), plan.ownership, plan.copies);
        return;
    }
    if (!has_fault(DeviceFault::swap_too_early)) {
        join_streams(gpus); // destinations no longer use the buffer that the swap fills
    }
    context.mark_chunks_overwritten();
    std::vector<OpenPhase> phases;
    for (GpuState const& gpu : gpus) {
        phases.push_back(begin_phase(context, gpu, Phase::key_swap));
    }
    ElementShape const shape{
        context.shape.key_bytes,
        has_fault(DeviceFault::values_left_behind) ? 0 : context.shape.value_bytes};
    for (CopyRecord const& copy : plan.copies) {
        GpuState const& source = gpus[copy.source.value];
        GpuState const& destination = gpus[has_fault(DeviceFault::wrong_destination)
                                               ? (copy.destination.value + 1) % gpus.size()
                                               : copy.destination.value];
        int const to = has_fault(DeviceFault::wrong_buffer) ? destination.buffers.current
                                                            : 1 - destination.buffers.current;
        copy_elements(source.stream,
                      shape,
                      {source, source.buffers.current, copy.source_offset},
                      {destination, to, copy.destination_offset},
                      copy.count);
    }
    for (OpenPhase const& phase : phases) {
        context.clock->end(phase);
    }
    if (!has_fault(DeviceFault::sort_too_early)) {
        // All arrivals are complete, and the buffer that the sort writes to has been sent.
        join_streams(gpus);
    }
    for (GpuState& gpu : gpus) {
        gpu.buffers.current = 1 - gpu.buffers.current;
    }
}

void sort_buckets(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  SwapPlan const& plan,
                  std::optional<Columns<void>> const& host) {
    NvtxRange const nvtx{"bucket sort"};
    std::vector<std::vector<SortRangeRecord>> const all_ranges = ranges_by_gpu(plan);
    for (GpuState& gpu : gpus) {
        DeviceScope const scope{gpu.device};
        std::vector<SortRangeRecord> const& ranges = all_ranges[gpu.id.value];
        std::uint64_t const base = plan.ownership[gpu.id.value].base;
        bool const overlapped = host.has_value() && ranges.size() >= overlapped_ranges_min;
        cudaStream_t const copy_stream = gpu.resources->copy_stream.get();
        auto const phase = begin_phase(
            context, gpu, overlapped ? Phase::bucket_sort_and_copy_back : Phase::bucket_sort);
        std::vector<int> buffers;
        for (SortRangeRecord const& range : ranges) {
            buffers.push_back(sort_range(context, gpu, range));
            if (overlapped) {
                gpu.resources->group_sorted.record(gpu.stream);
                gpu.resources->group_sorted.make_wait(copy_stream);
                copy_to_host(context, gpu, copy_stream, range, buffers.back(), base, *host);
            }
        }
        if (overlapped) {
            gpu.resources->group_sorted.record(copy_stream);
            gpu.resources->group_sorted.make_wait(gpu.stream);
            context.clock->end(phase);
        } else if (host.has_value()) {
            context.clock->end(phase);
            auto const copy_phase = begin_phase(context, gpu, Phase::device_to_host);
            for (std::size_t i = 0; i < ranges.size(); ++i) {
                copy_to_host(context, gpu, gpu.stream, ranges[i], buffers[i], base, *host);
            }
            context.clock->end(copy_phase);
        } else {
            gather_ranges(context, gpu, ranges, buffers);
            context.clock->end(phase);
        }
    }
}

} // namespace keyswap::kernels
