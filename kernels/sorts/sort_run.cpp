#include "kernels/sorts/sort_run.hpp"

#include "kernels/sorts/merge/merge_sort.hpp"
#include "kernels/sorts/rmg/fast_sort.hpp"
#include "kernels/sorts/rmg/pair_swap.hpp"
#include "kernels/sorts/sorter_options.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::kernels {

SortError error_of(CudaFailure const& failure, InputState input) {
    bool const no_memory = failure.code() == cudaErrorMemoryAllocation;
    return {no_memory ? SortErrorCode::out_of_device_memory : SortErrorCode::device_failure,
            std::string{failure.what()} + (input == InputState::intact
                                               ? ". The input is as it was."
                                               : ". The input has been overwritten."),
            input};
}

SortRun::SortRun(SorterState& state, std::uint64_t key_count, PhaseTiming timing, TraceSink* trace)
    : state_(state), clock_(timing) {
    context_.shape = element_shape(state.options);
    context_.key_shape = key_shape(state.options);
    context_.rule = placement_rule(state.options, key_count);
    context_.key_count = key_count;
    context_.fuse_below = share_of_chunk(context_.rule.chunk_size, state.options.fuse_ppm);
    context_.counting_min = state.options.counting_min;
    context_.code = image_code(state.options.key_type, state.options.direction);
    context_.trace = trace;
    context_.clock = &clock_;
    context_.exchange = &state.exchange;
    context_.input = &input_;
    for (std::uint32_t gpu = 0; gpu < context_.rule.gpu_count; ++gpu) {
        RankResources& resources = state.resources[gpu];
        Rank& rank = ranks_.emplace_back();
        rank.resources = &resources;
        rank.gpu = GpuId{gpu};
        rank.device = resources.device;
        rank.stream = resources.stream.get();
        std::uint64_t const begin =
            std::min(key_count, std::uint64_t{gpu} * context_.rule.chunk_size);
        rank.count = std::min(key_count - begin, context_.rule.chunk_size);
    }
}

void SortRun::use_own_places() {
    for (Rank& rank : ranks_) {
        for (std::size_t place = 0; place < 2; ++place) {
            rank.place.keys[place] = rank.resources->keys[place].data();
            rank.place.values[place] = rank.resources->values[place].data();
        }
    }
}

void SortRun::use_places(std::span<DeviceChunk const> chunks) {
    for (Rank& rank : ranks_) {
        DeviceChunk const& chunk = chunks[rank.gpu.value];
        rank.place.keys = {chunk.keys, chunk.alternate_keys};
        rank.place.values = {chunk.values, chunk.alternate_values};
        if (chunk.stream != nullptr) {
            rank.stream = static_cast<cudaStream_t>(chunk.stream);
        }
    }
}

void SortRun::start_clock() {
    for (Rank const& rank : ranks_) {
        clock_.start(rank.gpu, rank.device, rank.stream);
    }
}

void SortRun::copy_from_host(HostArrays const& host) {
    NvtxRange const range{"host to device"};
    for (Rank const& rank : ranks_) {
        DeviceScope const scope{rank.device};
        auto const phase =
            clock_.begin(rank.gpu, rank.device, rank.stream, Phase::host_to_device, 0);
        std::uint64_t const begin =
            std::min(context_.key_count, rank.gpu.value * context_.rule.chunk_size);
        copy_array(rank, rank.place.keys[0], host.keys, context_.shape.key_bytes, begin);
        copy_array(rank, rank.place.values[0], host.values, context_.shape.value_bytes, begin);
        clock_.end(phase, rank.stream);
    }
}

SortReport SortRun::sort_chunks(std::optional<HostArrays> const& host) {
    context_.chunk_input = host.has_value() ? nullptr : &input_;
    if (state_.options.algorithm != Algorithm::rmg) {
        std::vector<OwnershipRecord> const ownership = sort_by_merge(host);
        synchronize();
        return report_of(0, ownership);
    }
    if (ranks_.size() == 1) {
        return sort_alone(host);
    }
    bool const fast = state_.options.variant == Variant::fast && context_.key_count > 0 &&
                      fast_is_possible(context_.key_shape, state_.workspace.key_capacity);
    if (!fast) {
        return sort_by_partition(host, std::nullopt);
    }
    context_.unstable_scatter = context_.shape.value_bytes == 0;
    FirstPass first = fast_first_pass(context_, ranks_);
    if (!first.places_all()) {
        return sort_by_partition(host, std::move(first));
    }
    auto const ownership =
        fast_sort(context_, ranks_, std::move(first), state_.workspace.key_capacity, host);
    synchronize();
    return report_of(1, ownership);
}

SortReport SortRun::sort_by_partition(std::optional<HostArrays> const& host,
                                      std::optional<FirstPass> first) {
    if (!context_.unstable_scatter) {
        encode();
    }
    Partition const parts = partition(context_, ranks_, std::move(first));
    // Towards host memory, copies of sorted ranges hide behind the sort of others, which one sort
    // of all keys would end.
    bool const by_pairs =
        state_.options.variant == Variant::fast && !host.has_value() &&
        keys_left_to_sort(parts.buckets, context_.key_shape) > context_.key_count / 2;
    SwapPlan const plan = by_pairs ? make_pair_plan(context_, parts)
                                   : make_swap_plan(context_, parts, state_.options.variant);
    record_swap_plan(context_, plan);
    record_digests_before_swap(context_, ranks_, parts);
    swap_keys(context_, ranks_, plan);
    record_digests(context_, ranks_, plan.owned, DigestStage::after_swap);
    sort_buckets(context_, ranks_, plan, host);
    synchronize();
    return report_of(parts.passes, plan.ownership);
}

/// One GPU has no pass to run and nothing to swap: the whole input is the one bucket, and one sort
/// on all bits remains. Its copy onto itself is recorded, since the swap's copies cover all keys.
SortReport SortRun::sort_alone(std::optional<HostArrays> const& host) {
    encode();
    context_.mark_chunks_overwritten();
    SwapPlan plan;
    plan.ownership = {{GpuId{0}, 0, context_.key_count}};
    if (context_.key_count > 0) {
        plan.owned = {{GpuId{0}, BucketPrefix{0, 0}, 0, context_.key_count}};
        plan.copies = {{GpuId{0}, 0, GpuId{0}, 0, context_.key_count}};
        plan.ranges = {{GpuId{0}, 0, context_.key_count, 0, context_.key_shape.key_bits}};
    }
    record_swap_plan(context_, plan);
    record_digests(context_, ranks_, plan.owned, DigestStage::before_swap);
    record_digests(context_, ranks_, plan.owned, DigestStage::after_swap);
    sort_buckets(context_, ranks_, plan, host);
    synchronize();
    return report_of(0, plan.ownership);
}

std::vector<OwnershipRecord> SortRun::sort_by_merge(std::optional<HostArrays> const& host) {
    if (state_.options.algorithm == Algorithm::p2p_merge) {
        return p2p_merge_sort(context_, ranks_, host);
    }
    KEYSWAP_EXPECTS(host.has_value()); // Sorter refuses others
    HostArrays const staging{state_.staging_keys.data(), state_.staging_values.data()};
    return het_merge_sort(context_, ranks_, staging, *host);
}

void SortRun::encode() {
    if (!context_.code.is_identity()) {
        context_.mark_chunks_overwritten();
    }
    for (Rank const& rank : ranks_) {
        DeviceScope const scope{rank.device};
        launch_image_change(rank.stream,
                            context_.shape.key_bytes,
                            rank.place.keys[0],
                            rank.count,
                            context_.code,
                            ImageChange::encode);
    }
}

void SortRun::drain() const {
    for (Rank const& rank : ranks_) {
        static_cast<void>(cudaStreamSynchronize(rank.stream));
    }
    state_.drain();
}

void SortRun::synchronize() const {
    for (Rank const& rank : ranks_) {
        KEYSWAP_CUDA(cudaStreamSynchronize(rank.stream));
    }
}

void SortRun::copy_array(Rank const& rank,
                         void* destination,
                         void* source,
                         int element_bytes,
                         std::uint64_t begin) const {
    if (element_bytes == 0 || rank.count == 0) {
        return;
    }
    KEYSWAP_CUDA(cudaMemcpyAsync(destination,
                                 element(source, element_bytes, begin),
                                 rank.count * static_cast<std::uint64_t>(element_bytes),
                                 cudaMemcpyHostToDevice,
                                 rank.stream));
}

SortReport SortRun::report_of(int passes, std::vector<OwnershipRecord> const& ownership) const {
    SortReport report;
    report.passes = passes;
    report.peer_access = state_.peer_access;
    report.times = clock_.times();
    for (Rank const& rank : ranks_) {
        OwnershipRecord const& owned = ownership[rank.gpu.value];
        report.chunks.push_back({owned.base, owned.count, rank.place.current == 1});
    }
    if (context_.trace != nullptr) {
        for (PhaseTimeRecord const& record : report.times) {
            context_.trace->write(record);
        }
    }
    return report;
}

} // namespace keyswap::kernels
