#include "kernels/sorts/sample/sample_rounds.hpp"

#include "kernels/exchange/round_swap.hpp"
#include "kernels/exchange/segment_digests.hpp"
#include "kernels/local/local_runs.hpp"
#include "traces/errors/contracts.hpp"

#include <utility>

namespace keyswap::kernels {

namespace {

/// \param whole the whole input as the first pass's bucket
void scatter_chunks(SortCall const& call,
                    SplitterPasses const& rule,
                    std::vector<SpanningBucket> const& whole,
                    std::span<FinalBucket const> buckets,
                    std::span<SwapSegment const> segments) {
    PhaseClock& clock = *call.context.clock;
    for (GpuState const& gpu : call.gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase = clock.begin(gpu.id, gpu.device, gpu.stream, Phase::scatter, 1);
        std::vector<ScatterLabel> const labels = scatter_labels(segments, gpu.id.value);
        KEYSWAP_EXPECTS(labels.size() == buckets.size());
        std::vector<std::uint64_t> places(std::size_t{1} << rule.child_bits());
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            places[buckets[i].placement.bucket.prefix] = labels[i].offset;
        }
        rule.scatter_to(gpu, whole, places);
        clock.end(phase);
    }
}

} // namespace

SortOutcome
sort_samples_by_rounds(SortCall const& call, SplitterPasses const& rule, FirstPass first) {
    RunContext const& context = call.context;
    std::vector<SpanningBucket> const whole = first.refined;
    Partition const partition = placed_by(context, rule, std::move(first));
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
    RoundSwap swap{context, call.gpus, rounds.plan, ownership, sends};
    for (GpuState const& gpu : call.gpus) {
        memories.push_back(&local_memory(gpu));
        swap.streams.push_back(&local_memory(gpu).rounds);
    }
    swap.result_buffer = 1;
    swap.at_once = true;
    swap.sort_rounds = [&](RoundSteps const& steps) {
        constexpr LocalLevels levels{LevelMethod::splitters, false};
        sort_arrived(
            context, call.gpus, memories, rounds.segments, rounds.plan.rounds, levels, steps);
    };
    record_rounds(context, buckets, ownership, rounds);
    expect_same_rounds(context, call.gpus.front(), ownership, rounds.plan, sends);
    scatter_chunks(call, rule, whole, buckets, rounds.segments);
    if (context.trace != nullptr) {
        record_segment_digests(
            context, call.gpus, buckets, rounds.segments, DigestStage::before_swap);
        swap.record_arrivals = [&] {
            record_segment_digests(
                context, call.gpus, buckets, rounds.segments, DigestStage::after_swap);
        };
    }
    await_scatters(swap);
    swap_and_sort(swap, call.host);
    return {partition.passes, std::move(ownership)};
}

} // namespace keyswap::kernels
