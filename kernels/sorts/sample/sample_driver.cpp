/// \file Sample sort (Leischner, Osipov, Sanders: GPU Sample Sort, IPDPS 2010) across GPUs: RMG
/// sort's passes, placement, ownership and key swap with splitters in place of digits. Each GPU
/// sorts its buckets: variant `fast` overlapped with the swap, variant `paper` as published.

#include "kernels/exchange/key_swap.hpp"
#include "kernels/exchange/round_swap.hpp"
#include "kernels/local/local_runs.hpp"
#include "kernels/sorts/sample/splitter_passes.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/contracts.hpp"

#include <memory>
#include <string>
#include <utility>

namespace keyswap::kernels {

namespace {

SwapPlan make_bucket_plan(RunContext const& context, Partition const& partition) {
    SwapPlan plan = make_swap_plan(context, partition, CopyOrder::rotated);
    plan.ranges = bucket_ranges(plan.owned);
    return plan;
}

bool is_published(SortOptions const& options) {
    return options.choice.variant->name == "paper";
}

LocalRule rule_of(SortOptions const& options) {
    return is_published(options) ? LocalRule::splitters_published : LocalRule::splitters;
}

/// Tables of `paper` hold 32-bit sums of keys. \throws SortRefused
void check_capacity(SortCall const& call) {
    constexpr std::uint64_t capacity_max = 0xffffffffU;
    if (is_published(call.options) && call.key_capacity > capacity_max) {
        throw SortRefused{full_name(call.options.choice) + " counts at most " +
                          std::to_string(capacity_max) + " keys on a GPU, not " +
                          std::to_string(call.key_capacity) +
                          ". Name more GPUs, or use sample-sort-fast."};
    }
}

/// \param whole the input as the one bucket of the first pass
void scatter_chunks(SortCall const& call,
                    SplitterPasses const& rule,
                    std::vector<SpanningBucket> const& whole,
                    std::span<FinalBucket const> buckets,
                    std::span<SwapSegment const> segments) {
    for (GpuState const& gpu : call.gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase = begin_phase(call.context, gpu, Phase::scatter, 1);
        std::vector<ScatterLabel> const labels = scatter_labels(segments, gpu.id.value);
        KEYSWAP_EXPECTS(labels.size() == buckets.size());
        std::vector<std::uint64_t> places(std::size_t{1} << rule.child_bits());
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            places[buckets[i].placement.bucket.prefix] = labels[i].offset;
        }
        rule.scatter_to(gpu, whole, places);
        call.context.clock->end(phase);
    }
}

/// Swaps keys in rounds like RMG sort's `fast`, overlapped with the sort of earlier rounds, if the
/// first pass placed every bucket. \param rule that made the first pass \pre
/// first.places_all(); images lie in buffer 0
SortOutcome
sort_samples_by_rounds(SortCall const& call, SplitterPasses const& rule, PlacedPass first) {
    RunContext const& context = call.context;
    std::vector<SpanningBucket> const whole = first.refined;
    Partition const partition = record_single_pass(context, rule, std::move(first));
    std::vector<FinalBucket> const& buckets = partition.buckets;
    std::vector<OwnershipRecord> ownership = ownership_of(buckets, context.rule, context.key_count);
    constexpr int all_bits = 0; // no two buckets are sorted as one
    SwapRounds const rounds = plan_rounds(context,
                                          buckets,
                                          ownership,
                                          call.key_capacity,
                                          round_shares(round_demand(call, BucketSort::levels)),
                                          all_bits);
    std::vector<LocalMemory const*> memories;
    SwapSends const sends = swap_sends(rounds.plan, rounds.segments, std::nullopt);
    RoundSwap swap{{context, call.gpus, buckets, ownership, rounds}, sends};
    for (GpuState const& gpu : call.gpus) {
        memories.push_back(&local_memory(gpu));
        swap.streams.push_back(&local_memory(gpu).rounds);
    }
    swap.result_buffer = 1;
    swap.at_once = true;
    swap.scatter = [&] { scatter_chunks(call, rule, whole, buckets, rounds.segments); };
    swap.sort_rounds = [&](RoundSteps const& steps) {
        constexpr LocalLevels levels{LevelMethod::splitters, false};
        sort_arrived(
            context, call.gpus, memories, rounds.segments, rounds.plan.rounds, levels, steps);
    };
    swap_and_sort(std::move(swap), call.host);
    return {partition.passes, std::move(ownership)};
}

SortOutcome sort_by_samples(SortCall const& call) {
    RunContext const& context = call.context;
    check_capacity(call);
    encode_keys(context, call.gpus);
    SwapPlan plan;
    int passes = 0;
    if (context.rule.gpu_count == 1) {
        plan = make_single_gpu_plan(context);
        record_swap_plan(context, plan);
        record_digests(context, call.gpus, plan.owned, DigestStage::before_swap);
    } else {
        SplitterPasses rule{context, sample_parameters(call.options)};
        std::optional<PlacedPass> first;
        if (!is_published(call.options) && context.key_count > 0) {
            first = first_pass(context, call.gpus, rule);
            if (first->places_all()) {
                return sort_samples_by_rounds(call, rule, std::move(*first));
            }
        }
        Partition const parts = partition(context, call.gpus, rule, std::move(first));
        passes = parts.passes;
        plan = make_bucket_plan(context, parts);
        record_swap_plan(context, plan);
        record_digests_before_swap(context, call.gpus, parts);
        swap_keys(context, call.gpus, plan);
    }
    record_digests(context, call.gpus, plan.owned, DigestStage::after_swap);
    LocalLevels levels;
    levels.method =
        is_published(call.options) ? LevelMethod::splitters_published : LevelMethod::splitters;
    sort_locally(call, plan, levels);
    return {passes, plan.ownership};
}

/// Draws of all passes together.
std::size_t sample_size(SortOptions const& options) {
    SampleParameters const parameters = sample_parameters(options);
    constexpr std::uint64_t any_count = ~std::uint64_t{0} / 64;
    auto const later = static_cast<std::size_t>(draws_of_pass(parameters, 2, any_count));
    return static_cast<std::size_t>(draws_of_pass(parameters, 1, any_count)) +
           later * static_cast<std::size_t>(passes_max_of(parameters) - 1);
}

SortScratch sample_scratch(SortOptions const& options, std::uint64_t capacity) {
    return local_scratch(rule_of(options), options, capacity);
}

std::unique_ptr<SortMemory>
sample_memory(SortOptions const& options, GpuId gpu, std::uint64_t capacity) {
    auto memory = make_local_memory(rule_of(options), options, gpu, capacity);
    if (gpu == GpuId{0} && options.devices.size() > 1) {
        memory->sample =
            PinnedBuffer<std::byte>{sample_size(options) * key_size_bytes(options.key_type)};
    }
    return memory;
}

int sample_child_bits(SortOptions const& options) {
    return child_bits_of(sample_parameters(options));
}

} // namespace

SortDriver const& sample_sort_driver() {
    static constexpr SortDriver driver{.name = "sample-sort",
                                       .scratch = sample_scratch,
                                       .memory = sample_memory,
                                       .sort = sort_by_samples,
                                       .child_bits = sample_child_bits,
                                       .sorts_with_ranks = true};
    return driver;
}

} // namespace keyswap::kernels
