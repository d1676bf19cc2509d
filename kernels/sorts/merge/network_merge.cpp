/// \file Merge sort on one GPU (Satish et al.: Fast sort on CPUs, GPUs and Intel MIC architectures,
/// Intel report 2010; Satish, Harris, Garland, IPDPS 2009): runs sorted by a network, then passes
/// that merge pairs of adjacent runs. Kernels compare images: the first kernel encodes keys, the
/// last one decodes them.

#include "kernels/primitives/merge/network_merge.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/runtime/sorter_options.hpp"
#include "traces/catalog/parameters.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

/// Arrays of a pass from the GPU's current buffer to the other, which becomes current.
OutOfPlaceArrays next_pass(RunContext const& context, GpuState& gpu) {
    OutOfPlaceArrays const arrays = arrays_to_other_buffer(gpu, context.shape);
    gpu.buffers.current = 1 - gpu.buffers.current;
    return arrays;
}

/// Records all passes in advance: they depend only on the number of keys.
void record_plan(RunContext const& context, GpuState const& gpu, std::uint64_t run_keys) {
    std::uint64_t const count = gpu.count;
    context.trace->write(OwnershipRecord{gpu.id, 0, count});
    for (std::uint64_t begin = 0; begin < count; begin += run_keys) {
        context.trace->write(SortRangeRecord{
            gpu.id, begin, std::min(run_keys, count - begin), 0, context.key_shape.key_bits});
    }
    int stage = 0;
    for (std::uint64_t run = run_keys; run < count; run *= 2, ++stage) {
        for (std::uint64_t begin = 0; begin + run < count; begin += 2 * run) {
            context.trace->write(
                MergeRecord{stage, gpu.id, begin, {run, std::min(run, count - begin - run)}});
        }
    }
}

void sort_runs(RunContext const& context, GpuState& gpu, std::uint64_t run_keys) {
    bool const is_last = run_keys >= gpu.count;
    auto const phase = begin_phase(context, gpu, Phase::sort);
    launch_network_sort(gpu.stream,
                        next_pass(context, gpu),
                        static_cast<std::uint32_t>(run_keys),
                        context.code,
                        is_last ? context.code : ImageCode{});
    context.clock->end(phase);
}

void merge_runs(RunContext const& context, GpuState& gpu, std::uint64_t run_keys) {
    auto const phase = begin_phase(context, gpu, Phase::merge);
    for (std::uint64_t run = run_keys; run < gpu.count; run *= 2) {
        bool const is_last = 2 * run >= gpu.count;
        launch_pair_merges(
            gpu.stream, next_pass(context, gpu), run, is_last ? context.code : ImageCode{});
    }
    context.clock->end(phase);
}

SortOutcome sort_by_network_merge(SortCall const& call) {
    RunContext const& context = call.context;
    GpuState& gpu = call.gpus.front();
    std::uint64_t const run_keys =
        value_of(call.options, *find_parameter(*call.options.choice.algorithm, "run-keys"));
    if (context.trace != nullptr) {
        record_plan(context, gpu, run_keys);
    }
    context.mark_chunks_overwritten();
    {
        DeviceScope const scope{gpu.device};
        sort_runs(context, gpu, run_keys);
        merge_runs(context, gpu, run_keys);
    }
    if (call.host) {
        copy_owned_to_host(context, gpu, {gpu.id, 0, gpu.count}, *call.host);
    }
    return {0, {{gpu.id, 0, gpu.count}}};
}

} // namespace

SortDriver const& network_merge_driver() {
    static constexpr SortDriver driver{.name = "network-merge",
                                       .sort = sort_by_network_merge,
                                       .key_count_max = network_merge_count_max};
    return driver;
}

} // namespace keyswap::kernels
