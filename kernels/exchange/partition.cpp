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
        auto const phase = begin_phase(context, gpu, Phase::histogram, pass);
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
    copy_array(hub.stream, exchange.host_table.data(), exchange.table.data(), entries);
    copy_array(hub.stream, exchange.host_decisions.data(), exchange.decisions.data(), decisions);
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
                 PlacedPass const& pass,
                 std::uint32_t next_function = 0) {
    if (context.trace == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < pass.refined.size(); ++i) {
        SpanningBucket const& refined = pass.refined[i];
        BucketFunction const* const function = rule.function(i);
        std::optional<std::uint32_t> number;
        if (function != nullptr) {
            number = next_function + static_cast<std::uint32_t>(i);
            context.trace->write(BucketFunctionRecord{*number, refined.bucket, *function});
        }
        for (std::uint32_t gpu = 0; gpu < refined.parts.size(); ++gpu) {
            KeyRange const part = refined.parts[gpu];
            if (part.count == 0) {
                continue; // GPUs without keys of the bucket compute no histogram
            }
            auto const counts = pass.result.histogram(gpu, i).first(
                function != nullptr ? function->buckets : pass.result.child_count);
            context.trace->write(HistogramRecord{refined.bucket,
                                                 GpuId{gpu},
                                                 part.offset,
                                                 {counts.begin(), counts.end()},
                                                 std::nullopt,
                                                 number});
        }
    }
    write_records(context, pass.placements);
}

/// Parts of a refined bucket's children, consecutive within its parts.
class ChildParts {
  public:
    ChildParts(SpanningBucket const& parent, PassResult const& result, std::size_t index)
        : result_(&result), index_(index), next_(parent.parts) {}

    /// \pre called once per child, in ascending order
    [[nodiscard]] std::vector<KeyRange> take(std::uint32_t child) {
        std::vector<KeyRange> parts(next_.size());
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
    std::vector<KeyRange> next_;
};

PlacementState state_of(GpuRange gpus, bool is_one_value) {
    if (gpus.first == gpus.last) {
        return PlacementState::placed;
    }
    return is_one_value ? PlacementState::cut : PlacementState::spanning;
}

/// Sets the pass's children from its result.
void add_children(PassRule const& rule, PlacedPass& pass) {
    PassResult const& result = pass.result;
    for (std::size_t i = 0; i < pass.refined.size(); ++i) {
        SpanningBucket const& refined = pass.refined[i];
        ChildParts parts{refined, result, i};
        for (std::uint32_t child = 0; child < result.child_count; ++child) {
            PlacementDecision const& decision = result.decisions[i * result.child_count + child];
            if (decision.begin == decision.end) {
                continue;
            }
            BucketPrefix const bucket = child_of(refined.bucket, rule.child_bits(), child);
            ImageRange const images = rule.child_images(refined, i, child);
            PlacementRecord const placement{bucket,
                                            decision.begin,
                                            decision.end,
                                            GpuId{decision.gpus.first},
                                            GpuId{decision.gpus.last},
                                            state_of(decision.gpus, images.is_one_value())};
            pass.placements.push_back(placement);
            if (placement.state == PlacementState::spanning) {
                pass.spanning.push_back({bucket, decision.begin, images, parts.take(child)});
            } else {
                pass.final.push_back({placement, parts.take(child), images});
            }
        }
    }
    KEYSWAP_ENSURES(pass.spanning.size() <= spanning_bucket_count_max);
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

PlacedPass place_pass(RunContext const& context,
                      std::vector<GpuState> const& gpus,
                      PassRule& rule,
                      std::vector<SpanningBucket> refined,
                      int number) {
    PlacedPass pass{std::move(refined), {}, {}, {}, {}};
    rule.begin_pass(number, gpus, pass.refined);
    if (std::span<std::uint64_t const> const counts = rule.known_counts(); !counts.empty()) {
        pass.result = placement_of(context, rule, pass.refined, counts);
    } else {
        launch_histograms(context, gpus, rule, pass.refined, number);
        pass.result = decide_placement(context, gpus, rule, pass.refined);
    }
    add_children(rule, pass);
    return pass;
}

} // namespace

PlacedPass
first_pass(RunContext const& context, std::vector<GpuState> const& gpus, PassRule& rule) {
    return place_pass(context, gpus, rule, whole_input(context), 1);
}

Partition record_single_pass(RunContext const& context, PassRule const& rule, PlacedPass first) {
    KEYSWAP_EXPECTS(first.places_all());
    record_pass(context, rule, first);
    return {1, std::move(first.final)};
}

Partition partition(RunContext const& context,
                    std::vector<GpuState>& gpus,
                    PassRule& rule,
                    std::optional<PlacedPass> first) {
    Partition outcome;
    std::vector<SpanningBucket> refined;
    if (context.key_count > 0) {
        refined = whole_input(context);
    }
    std::uint32_t next_function = 0;
    while (!refined.empty()) {
        int const number = ++outcome.passes;
        NvtxRange const range{"partitioning pass"};
        bool const known = number == 1 && first.has_value();
        PlacedPass pass =
            known ? *std::move(first) : place_pass(context, gpus, rule, std::move(refined), number);
        rule.scatter(gpus, pass.refined, pass.result);
        record_pass(context, rule, pass, next_function);
        next_function += static_cast<std::uint32_t>(pass.refined.size());
        // Buckets of a pass are ascending; merge them with earlier ones.
        auto const earlier = static_cast<std::ptrdiff_t>(outcome.buckets.size());
        std::move(pass.final.begin(), pass.final.end(), std::back_inserter(outcome.buckets));
        std::ranges::inplace_merge(
            outcome.buckets, outcome.buckets.begin() + earlier, {}, [](FinalBucket const& bucket) {
                return bucket.placement.begin;
            });
        refined = std::move(pass.spanning);
    }
    return outcome;
}

} // namespace keyswap::kernels
