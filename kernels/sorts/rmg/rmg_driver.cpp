#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/pair_swap.hpp"
#include "kernels/local/local_runs.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/primitives/steps/crowding_sample.hpp"
#include "kernels/runtime/chunk_upload.hpp"
#include "kernels/sorts/rmg/digit_passes.hpp"
#include "kernels/sorts/rmg/fast_memory.hpp"
#include "kernels/sorts/rmg/fast_sort.hpp"

#include <utility>

namespace keyswap::kernels {

namespace {

/// Digit row for the sort of a single GPU; nullopt to use CUB.
std::optional<DigitRow> row_of(SortOptions const& options) {
    bool const is_alone = is_rmg_fast(options) && options.devices.size() == 1;
    return is_alone ? digit_row_of(options) : std::nullopt;
}

SortScratch rmg_scratch(SortOptions const& options, std::uint64_t capacity) {
    if (auto const row = row_of(options)) {
        return local_scratch(rule_of(*row), options, capacity);
    }
    return uses_fast(options, capacity) ? fast_scratch(options, capacity) : SortScratch{};
}

std::unique_ptr<SortMemory>
rmg_memory(SortOptions const& options, GpuId gpu, std::uint64_t capacity) {
    if (auto const row = row_of(options)) {
        return make_local_memory(rule_of(*row), options, gpu, capacity);
    }
    return uses_fast(options, capacity) ? make_fast_memory(options, gpu, capacity) : nullptr;
}

/// The key swap and the bucket sort as consecutive phases.
/// \param parts images; the keys of each bucket are contiguous on every GPU
SortOutcome swap_and_sort_by_phases(SortCall const& call, Partition const& parts) {
    RunContext& context = call.context;
    bool const is_published = call.options.choice.variant->name == "paper";
    bool const by_pairs =
        is_rmg_fast(call.options) && use_pair_swap(parts.buckets, call.host.has_value());
    SwapPlan const plan =
        by_pairs ? make_pair_plan(context, parts)
                 : make_swap_plan(
                       context, parts, is_published ? CopyOrder::ascending : CopyOrder::rotated);
    record_swap_plan(context, plan);
    record_digests_before_swap(context, call.gpus, parts);
    swap_keys(context, call.gpus, plan);
    record_digests(context, call.gpus, plan.owned, DigestStage::after_swap);
    sort_buckets(context, call.gpus, plan, call.host);
    return {parts.passes, plan.ownership};
}

/// Runs partitioning passes that move the keys, then swaps and sorts by phases.
SortOutcome sort_by_phases(SortCall const& call, std::optional<PlacedPass> first) {
    RunContext& context = call.context;
    if (!context.unstable_scatter) {
        encode_keys(context, call.gpus);
    }
    DigitPasses rule{context};
    if (first) {
        rule.begin_pass(1, call.gpus, first->refined);
    }
    return swap_and_sort_by_phases(call, partition(context, call.gpus, rule, std::move(first)));
}

/// Keys in the fullest range of 2^shift images, estimated from a sample of 4,096 keys.
std::uint64_t fullest_stretch(RunContext const& context, GpuState const& gpu, int shift) {
    DeviceScope const scope{gpu.device};
    std::uint32_t* const most = local_memory(gpu).crowding.data();
    launch_crowding_sample(
        gpu.stream, {context.shape.key_bytes, gpu.keys(), gpu.count}, shift, most);
    wait_for(gpu.stream);
    return keys_of_samples(*most, gpu.count);
}

/// Levels that divide the keys of a single GPU, planned from a sample of keys; waits for the
/// sample. nullopt if CUB should sort. \pre images are in the GPU's current buffer; the row's
/// memory is allocated
std::optional<LocalLevels>
single_gpu_levels(RunContext const& context, GpuState const& gpu, DigitRow const& row) {
    return single_gpu_levels(row, gpu.count, leaf_of(context), context.tuning, [&](int shift) {
        return fullest_stretch(context, gpu, shift);
    });
}

/// A single GPU needs no pass and no swap: it sorts on all bits, with CUB if dividing the keys
/// would be slower.
SortOutcome sort_on_one_gpu(SortCall const& call) {
    RunContext& context = call.context;
    encode_keys(context, call.gpus);
    context.mark_chunks_overwritten();
    SwapPlan const plan = make_single_gpu_plan(context);
    record_swap_plan(context, plan);
    record_digests(context, call.gpus, plan.owned, DigestStage::before_swap);
    record_digests(context, call.gpus, plan.owned, DigestStage::after_swap);
    std::optional<DigitRow> const row = row_of(call.options);
    std::optional<LocalLevels> const levels =
        row ? single_gpu_levels(context, call.gpus.front(), *row) : std::nullopt;
    if (!levels) {
        sort_buckets(context, call.gpus, plan, call.host);
        return {0, plan.ownership};
    }
    sort_locally(call, plan, *levels);
    return {0, plan.ownership};
}

SortOutcome sort_by_rmg(SortCall const& call) {
    RunContext& context = call.context;
    if (is_rmg_fast(call.options)) {
        context.radix_policy = RadixPolicy::tuned;
    }
    if (context.rule.gpu_count == 1) {
        return sort_on_one_gpu(call);
    }
    std::optional<FastPasses> passes;
    if (context.key_count > 0 && uses_fast(call.options, call.key_capacity)) {
        context.unstable_scatter = context.shape.value_bytes == 0;
        if (!call.host) { // uploads leave enough time for links to wake up
            wake_links(context, call.gpus);
        }
        passes = fast_passes(context, call.gpus);
    }
    for (GpuState const& gpu : call.gpus) {
        await_upload(gpu); // including values, which passes do not need
    }
    if (!passes) {
        return sort_by_phases(call, std::nullopt);
    }
    if (!passes->partition) {
        return sort_by_phases(call, std::move(passes->first));
    }
    if (holds_one_value(passes->partition->buckets)) {
        encode_keys(context, call.gpus);
        return swap_and_sort_by_phases(call, *passes->partition);
    }
    int const pass_count = passes->partition->passes;
    return {pass_count, fast_sort(call, *std::move(passes))};
}

} // namespace

SortDriver const& rmg_driver() {
    static constexpr SortDriver driver{.name = "rmg",
                                       .scratch = rmg_scratch,
                                       .memory = rmg_memory,
                                       .sort = sort_by_rmg,
                                       .sorts_with_ranks = true,
                                       .awaits_uploads = uses_fast};
    return driver;
}

} // namespace keyswap::kernels
