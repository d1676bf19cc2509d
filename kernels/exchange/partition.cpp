#include "kernels/exchange/partition.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/partition/host_placement.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace keyswap::kernels {

namespace {

void launch_histograms(RunContext const& context,
                       std::vector<GpuState> const& gpus,
                       PassRule const& rule,
                       std::vector<SpanningBucket> const& spanning,
                       int pass) {
    std::size_t const entries = spanning.size() << rule.child_bits();
    GpuState const& hub = gpus.front();
    for (GpuState const& gpu : gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase =
            context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::histogram, pass);
        rule.count(gpu, parts_on(gpu, spanning), gpu.resources->counts.data());
        if (context.ranks != nullptr) {
            context.ranks->all_gather(gpu.stream,
                                      "histogram exchange",
                                      gpu.resources->counts.data(),
                                      context.exchange->table.data(),
                                      entries * sizeof(std::uint64_t));
            context.clock->end(phase);
            continue;
        }
        std::size_t const row =
            has_fault(DeviceFault::rows_swapped) ? (gpu.id.value + 1) % gpus.size() : gpu.id.value;
        copy_async(gpu.stream,
                   hub.device,
                   context.exchange->table.data() + row * entries,
                   gpu.device,
                   gpu.resources->counts.data(),
                   entries * sizeof(std::uint64_t));
        context.clock->end(phase);
        if (gpu.id != hub.id && !has_fault(DeviceFault::histogram_not_awaited)) {
            gpu.resources->ready.record(gpu.stream);
            gpu.resources->ready.make_wait(hub.stream);
        }
    }
}

BucketStarts starts_of(std::vector<SpanningBucket> const& spanning) {
    BucketStarts starts;
    starts.count = static_cast<std::uint32_t>(spanning.size());
    std::ranges::transform(spanning, starts.begin, &SpanningBucket::begin);
    return starts;
}

PassResult decide_placement(RunContext const& context,
                            std::vector<GpuState> const& gpus,
                            PassRule const& rule,
                            std::vector<SpanningBucket> const& spanning) {
    std::uint32_t const child_count = 1U << rule.child_bits();
    ExchangeBuffers const& exchange = *context.exchange;
    GpuState const& hub = gpus.front();
    DeviceScope const scope{hub.device};
    BucketStarts const starts = starts_of(spanning);
    std::size_t const decisions = spanning.size() * child_count;
    std::size_t const entries = decisions * context.rule.gpu_count;
    launch_placement(hub.stream,
                     context.rule,
                     starts,
                     child_count,
                     exchange.table.data(),
                     exchange.decisions.data());
    KEYSWAP_CUDA(cudaMemcpyAsync(exchange.host_table.data(),
                                 exchange.table.data(),
                                 entries * sizeof(std::uint64_t),
                                 cudaMemcpyDeviceToHost,
                                 hub.stream));
    KEYSWAP_CUDA(cudaMemcpyAsync(exchange.host_decisions.data(),
                                 exchange.decisions.data(),
                                 decisions * sizeof(PlacementDecision),
                                 cudaMemcpyDeviceToHost,
                                 hub.stream));
    await_stream(context, hub.stream, "histogram exchange");
    return {starts.count,
            child_count,
            exchange.host_table.span().first(entries),
            exchange.host_decisions.span().first(decisions)};
}

/// The same for counts that are already on the host.
PassResult placement_of(RunContext const& context,
                        PassRule const& rule,
                        std::vector<SpanningBucket> const& spanning,
                        std::span<std::uint64_t const> counts) {
    std::uint32_t const child_count = 1U << rule.child_bits();
    BucketStarts const starts = starts_of(spanning);
    auto const decisions =
        context.exchange->host_decisions.span().first(spanning.size() * child_count);
    place_buckets(context.rule, starts, child_count, counts.data(), decisions.data());
    return {starts.count, child_count, counts, decisions};
}

/// \param next_function index of the pass's first function
void record_pass(RunContext const& context,
                 PassRule const& rule,
                 std::vector<SpanningBucket> const& spanning,
                 PassResult const& result,
                 std::vector<PlacementRecord> const& placements,
                 std::uint32_t next_function = 0) {
    if (context.trace == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < spanning.size(); ++i) {
        BucketFunction const* const function = rule.function(i);
        std::optional<std::uint32_t> number;
        if (function != nullptr) {
            number = next_function + static_cast<std::uint32_t>(i);
            context.trace->write(BucketFunctionRecord{*number, spanning[i].bucket, *function});
        }
        for (std::uint32_t gpu = 0; gpu < spanning[i].parts.size(); ++gpu) {
            BucketPart const part = spanning[i].parts[gpu];
            if (part.count == 0) {
                continue; // GPUs without keys of the bucket compute no histogram
            }
            auto const counts = result.histogram(gpu, i).first(
                function != nullptr ? function->buckets : result.child_count);
            context.trace->write(HistogramRecord{spanning[i].bucket,
                                                 GpuId{gpu},
                                                 part.offset,
                                                 {counts.begin(), counts.end()},
                                                 std::nullopt,
                                                 number});
        }
    }
    for (PlacementRecord const& placement : placements) {
        context.trace->write(placement);
    }
}

/// Parts of a refined bucket's children, consecutive within its parts.
class SubBucketParts {
  public:
    SubBucketParts(SpanningBucket const& parent, PassResult const& result, std::size_t index)
        : result_(&result), index_(index), next_(parent.parts) {}

    /// \pre called once per child, in ascending order
    [[nodiscard]] std::vector<BucketPart> take(std::uint32_t child) {
        std::vector<BucketPart> parts(next_.size());
        for (std::size_t gpu = 0; gpu < next_.size(); ++gpu) {
            std::uint64_t const count = result_->histogram(gpu, index_)[child];
            parts[gpu] = {next_[gpu].offset, count};
            next_[gpu].offset += count;
        }
        return parts;
    }

  private:
    PassResult const* result_;
    std::size_t index_;
    std::vector<BucketPart> next_;
};

PlacementState state_of(GpuRange gpus, bool is_one_value) {
    if (gpus.first == gpus.last) {
        return PlacementState::placed;
    }
    return is_one_value ? PlacementState::cut : PlacementState::spanning;
}

SubBuckets sub_buckets(PassRule const& rule,
                       std::vector<SpanningBucket> const& refined,
                       PassResult const& result) {
    SubBuckets subs;
    for (std::size_t i = 0; i < refined.size(); ++i) {
        SubBucketParts parts{refined[i], result, i};
        for (std::uint32_t child = 0; child < result.child_count; ++child) {
            PlacementDecision const& decision = result.decisions[i * result.child_count + child];
            if (decision.begin == decision.end) {
                continue;
            }
            BucketPrefix const bucket = child_of(refined[i].bucket, rule.child_bits(), child);
            ImageRange const images = rule.child_images(refined[i], i, child);
            PlacementRecord const placement{bucket,
                                            decision.begin,
                                            decision.end,
                                            GpuId{decision.gpus.first},
                                            GpuId{decision.gpus.last},
                                            state_of(decision.gpus, images.is_one_value())};
            subs.placements.push_back(placement);
            if (placement.state == PlacementState::spanning) {
                subs.spanning.push_back({bucket, decision.begin, images, parts.take(child)});
            } else {
                subs.final.push_back({placement, parts.take(child), images});
            }
        }
    }
    KEYSWAP_ENSURES(subs.spanning.size() <= spanning_bucket_count_max);
    return subs;
}

/// The whole input as the bucket refined by the first pass.
std::vector<SpanningBucket> whole_input(RunContext const& context) {
    SpanningBucket whole;
    whole.images = all_images(context.key_shape.key_bits);
    for (GpuId gpu{0}; gpu.value < context.rule.gpu_count; ++gpu.value) {
        whole.parts.push_back({0, chunk_of(context, gpu).count});
    }
    return {whole};
}

PassResult pass_result(RunContext const& context,
                       std::vector<GpuState> const& gpus,
                       PassRule& rule,
                       std::vector<SpanningBucket> const& refined,
                       int pass) {
    rule.begin_pass(pass, gpus, refined);
    if (std::span<std::uint64_t const> const counts = rule.known_counts(); !counts.empty()) {
        return placement_of(context, rule, refined, counts);
    }
    launch_histograms(context, gpus, rule, refined, pass);
    return decide_placement(context, gpus, rule, refined);
}

} // namespace

FirstPass first_pass(RunContext const& context, std::vector<GpuState> const& gpus, PassRule& rule) {
    FirstPass first;
    first.refined = whole_input(context);
    first.result = pass_result(context, gpus, rule, first.refined, 1);
    first.subs = sub_buckets(rule, first.refined, first.result);
    return first;
}

Partition record_single_pass(RunContext const& context, PassRule const& rule, FirstPass first) {
    KEYSWAP_EXPECTS(first.places_all());
    record_pass(context, rule, first.refined, first.result, first.subs.placements);
    return {1, std::move(first.subs.final)};
}

Partition partition(RunContext const& context,
                    std::vector<GpuState>& gpus,
                    PassRule& rule,
                    std::optional<FirstPass> first) {
    Partition outcome;
    std::vector<SpanningBucket> refined;
    if (context.key_count > 0) {
        refined = whole_input(context);
    }
    std::uint32_t next_function = 0;
    while (!refined.empty()) {
        int const pass = ++outcome.passes;
        NvtxRange const range{"partitioning pass"};
        bool const known = pass == 1 && first.has_value();
        PassResult const result =
            known ? first->result : pass_result(context, gpus, rule, refined, pass);
        rule.scatter(gpus, refined, result);
        SubBuckets subs = known ? std::move(first->subs) : sub_buckets(rule, refined, result);
        record_pass(context, rule, refined, result, subs.placements, next_function);
        next_function += static_cast<std::uint32_t>(refined.size());
        // Buckets of a pass are ascending; merge them with earlier ones.
        auto const earlier = static_cast<std::ptrdiff_t>(outcome.buckets.size());
        std::move(subs.final.begin(), subs.final.end(), std::back_inserter(outcome.buckets));
        std::ranges::inplace_merge(
            outcome.buckets, outcome.buckets.begin() + earlier, {}, [](FinalBucket const& bucket) {
                return bucket.placement.begin;
            });
        refined = std::move(subs.spanning);
    }
    return outcome;
}

} // namespace keyswap::kernels
