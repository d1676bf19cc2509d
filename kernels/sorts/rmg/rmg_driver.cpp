#include "kernels/sorts/rmg/fast_memory.hpp"
#include "kernels/sorts/rmg/fast_sort.hpp"
#include "kernels/sorts/rmg/pair_swap.hpp"
#include "kernels/sorts/rmg/rmg_options.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace keyswap::kernels {

namespace {

constexpr std::array variant_names = {std::pair{std::string_view{"paper"}, RmgVariant::paper},
                                      std::pair{std::string_view{"rotated"}, RmgVariant::rotated},
                                      std::pair{std::string_view{"fast"}, RmgVariant::fast}};

SortScratch rmg_scratch(SortOptions const& options, std::uint64_t capacity) {
    return uses_fast(options, capacity) ? fast_scratch(options, capacity) : SortScratch{};
}

std::unique_ptr<SortMemory>
rmg_memory(SortOptions const& options, int device, std::uint64_t capacity) {
    return uses_fast(options, capacity) ? make_fast_memory(options, device, capacity) : nullptr;
}

void encode(SortCall const& call) {
    if (!call.context.code.is_identity()) {
        call.context.mark_chunks_overwritten();
    }
    for (GpuState const& gpu : call.gpus) {
        DeviceScope const scope{gpu.device};
        launch_image_change(gpu.stream,
                            call.context.shape.key_bytes,
                            gpu.buffers.keys[0],
                            gpu.count,
                            call.context.code,
                            ImageChange::encode);
    }
}

/// Partitioning passes, the key swap and the bucket sort as phases that follow each other.
SortOutcome sort_by_phases(SortCall const& call, std::optional<FirstPass> first) {
    RunContext& context = call.context;
    if (!context.unstable_scatter) {
        encode(call);
    }
    Partition const parts = partition(context, call.gpus, std::move(first));
    // Towards host memory, copies of sorted ranges hide behind the sort of others, which one sort
    // of all keys would end.
    RmgVariant const variant = rmg_variant(call.options);
    bool const by_pairs =
        variant == RmgVariant::fast && !call.host.has_value() &&
        keys_left_to_sort(parts.buckets, context.key_shape) > context.key_count / 2;
    SwapPlan const plan =
        by_pairs ? make_pair_plan(context, parts) : make_swap_plan(context, parts, variant);
    record_swap_plan(context, plan);
    record_digests_before_swap(context, call.gpus, parts);
    swap_keys(context, call.gpus, plan);
    record_digests(context, call.gpus, plan.owned, DigestStage::after_swap);
    sort_buckets(context, call.gpus, plan, call.host);
    return {parts.passes, plan.ownership};
}

/// One GPU has no pass to run and nothing to swap: the whole input is the one bucket, and one sort
/// on all bits remains. Its copy onto itself is recorded, since the swap's copies cover all keys.
SortOutcome sort_alone(SortCall const& call) {
    RunContext& context = call.context;
    encode(call);
    context.mark_chunks_overwritten();
    SwapPlan plan;
    plan.ownership = {{GpuId{0}, 0, context.key_count}};
    if (context.key_count > 0) {
        plan.owned = {{GpuId{0}, BucketPrefix{0, 0}, 0, context.key_count}};
        plan.copies = {{GpuId{0}, 0, GpuId{0}, 0, context.key_count}};
        plan.ranges = {{GpuId{0}, 0, context.key_count, 0, context.key_shape.key_bits}};
    }
    record_swap_plan(context, plan);
    record_digests(context, call.gpus, plan.owned, DigestStage::before_swap);
    record_digests(context, call.gpus, plan.owned, DigestStage::after_swap);
    sort_buckets(context, call.gpus, plan, call.host);
    return {0, plan.ownership};
}

SortOutcome sort_by_rmg(SortCall const& call) {
    if (call.gpus.size() == 1) {
        return sort_alone(call);
    }
    RunContext& context = call.context;
    if (context.key_count == 0 || !uses_fast(call.options, call.key_capacity)) {
        return sort_by_phases(call, std::nullopt);
    }
    context.unstable_scatter = context.shape.value_bytes == 0;
    FirstPass first = fast_first_pass(context, call.gpus);
    if (!first.places_all()) {
        return sort_by_phases(call, std::move(first));
    }
    return {1, fast_sort(context, call.gpus, std::move(first), call.key_capacity, call.host)};
}

} // namespace

RmgVariant rmg_variant(SortOptions const& options) {
    auto const known = std::ranges::find(
        variant_names, options.choice.variant->name, [](auto const& each) { return each.first; });
    KEYSWAP_EXPECTS(known != variant_names.end());
    return known->second;
}

SortDriver const& rmg_driver() {
    static constexpr SortDriver driver{"rmg", false, rmg_scratch, rmg_memory, sort_by_rmg};
    return driver;
}

} // namespace keyswap::kernels
