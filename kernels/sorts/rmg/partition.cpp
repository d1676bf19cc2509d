#include "kernels/sorts/rmg/partition.hpp"

#include "kernels/faults/device_faults.hpp"
#include "kernels/sorts/rmg/part_scatter.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>

namespace keyswap::kernels {

namespace {

DigitWindow window_of(KeyShape shape, int pass) {
    return {shape.bits_below(pass), shape.bits_of(pass), {}};
}

void launch_histograms(RunContext const& context,
                       std::vector<GpuState> const& gpus,
                       std::vector<SpanningBucket> const& spanning,
                       int pass,
                       ImageCode encode) {
    DigitWindow window = window_of(context.key_shape, pass);
    window.encode = encode;
    std::size_t const entries = spanning.size() << window.bits;
    GpuState const& hub = gpus.front();
    for (GpuState const& gpu : gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase =
            context.clock->begin(gpu.id, gpu.device, gpu.stream, Phase::histogram, pass);
        PartList parts;
        parts.count = static_cast<std::uint32_t>(spanning.size());
        for (std::size_t i = 0; i < spanning.size(); ++i) {
            BucketPart const part = spanning[i].parts[gpu.id.value];
            parts.part[i] = {part.offset, part.count};
        }
        launch_histogram(gpu.stream,
                         context.shape.key_bytes,
                         gpu.buffers.keys[gpu.buffers.current],
                         parts,
                         window,
                         gpu.resources->counts.data());
        std::size_t const row =
            has_fault(DeviceFault::rows_swapped) ? (gpu.id.value + 1) % gpus.size() : gpu.id.value;
        copy_async(gpu.stream,
                   hub.device,
                   context.exchange->table.data() + row * entries,
                   gpu.device,
                   gpu.resources->counts.data(),
                   entries * sizeof(std::uint64_t));
        context.clock->end(phase, gpu.stream);
        if (gpu.id != hub.id && !has_fault(DeviceFault::histogram_not_awaited)) {
            gpu.resources->ready.record(gpu.stream);
            gpu.resources->ready.make_wait(hub.stream);
        }
    }
}

PassResult decide_placement(RunContext const& context,
                            std::vector<GpuState> const& gpus,
                            std::vector<SpanningBucket> const& spanning,
                            int pass) {
    DigitWindow const window = window_of(context.key_shape, pass);
    ExchangeBuffers const& exchange = *context.exchange;
    GpuState const& hub = gpus.front();
    DeviceScope const scope{hub.device};
    BucketStarts starts;
    starts.count = static_cast<std::uint32_t>(spanning.size());
    for (std::size_t i = 0; i < spanning.size(); ++i) {
        starts.begin[i] = spanning[i].begin;
    }
    std::size_t const decisions = spanning.size() << window.bits;
    std::size_t const entries = decisions * gpus.size();
    launch_placement(hub.stream,
                     context.rule,
                     starts,
                     window.digit_count(),
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
    KEYSWAP_CUDA(cudaStreamSynchronize(hub.stream));
    return {starts.count,
            window.digit_count(),
            exchange.host_table.span().first(entries),
            exchange.host_decisions.span().first(decisions)};
}

void record_pass(RunContext const& context,
                 std::vector<SpanningBucket> const& spanning,
                 PassResult const& result,
                 std::vector<PlacementRecord> const& placements) {
    if (context.trace == nullptr) {
        return;
    }
    for (std::size_t i = 0; i < spanning.size(); ++i) {
        for (std::uint32_t gpu = 0; gpu < spanning[i].parts.size(); ++gpu) {
            BucketPart const part = spanning[i].parts[gpu];
            if (part.count == 0) {
                continue; // a GPU without keys of the bucket builds no histogram
            }
            auto const counts = result.histogram(gpu, i);
            context.trace->write(HistogramRecord{
                spanning[i].bucket, GpuId{gpu}, part.offset, {counts.begin(), counts.end()}});
        }
    }
    for (PlacementRecord const& placement : placements) {
        context.trace->write(placement);
    }
}

/// Parts of sub-bucket `digit` of a refined bucket; they follow each other inside its parts.
class SubBucketParts {
  public:
    SubBucketParts(SpanningBucket const& parent, PassResult const& result, std::size_t index)
        : result_(&result), index_(index), next_(parent.parts) {}

    /// \pre digits are asked for in ascending order, each once
    [[nodiscard]] std::vector<BucketPart> take(std::uint32_t digit) {
        std::vector<BucketPart> parts(next_.size());
        for (std::size_t gpu = 0; gpu < next_.size(); ++gpu) {
            std::uint64_t const count = result_->histogram(gpu, index_)[digit];
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

PlacementState state_of(GpuRange gpus, bool last_pass) {
    if (gpus.first == gpus.last) {
        return PlacementState::placed;
    }
    return last_pass ? PlacementState::cut : PlacementState::spanning;
}

SubBuckets sub_buckets(RunContext const& context,
                       std::vector<SpanningBucket> const& refined,
                       PassResult const& result,
                       int pass) {
    bool const last_pass = pass == context.key_shape.pass_count();
    int const bits = context.key_shape.bits_of(pass);
    SubBuckets subs;
    for (std::size_t i = 0; i < refined.size(); ++i) {
        SubBucketParts parts{refined[i], result, i};
        for (std::uint32_t digit = 0; digit < result.digit_count; ++digit) {
            PlacementDecision const& decision = result.decisions[i * result.digit_count + digit];
            if (decision.begin == decision.end) {
                continue;
            }
            BucketPrefix const bucket{pass, (refined[i].bucket.prefix << bits) | digit};
            PlacementRecord const placement{bucket,
                                            decision.begin,
                                            decision.end,
                                            GpuId{decision.gpus.first},
                                            GpuId{decision.gpus.last},
                                            state_of(decision.gpus, last_pass)};
            subs.placements.push_back(placement);
            if (placement.state == PlacementState::spanning) {
                subs.spanning.push_back({bucket, decision.begin, parts.take(digit)});
            } else {
                subs.final.push_back({placement, parts.take(digit)});
            }
        }
    }
    KEYSWAP_ENSURES(subs.spanning.size() <= spanning_bucket_count_max);
    return subs;
}

/// The whole input as the bucket that the first pass refines.
std::vector<SpanningBucket> whole_input(std::vector<GpuState> const& gpus) {
    SpanningBucket whole;
    for (GpuState const& gpu : gpus) {
        whole.parts.push_back({0, gpu.count});
    }
    return {whole};
}

} // namespace

FirstPass first_pass(RunContext const& context, std::vector<GpuState> const& gpus) {
    FirstPass first;
    first.refined = whole_input(gpus);
    launch_histograms(context, gpus, first.refined, 1, context.code);
    first.result = decide_placement(context, gpus, first.refined, 1);
    first.subs = sub_buckets(context, first.refined, first.result, 1);
    return first;
}

Partition placed_by(RunContext const& context, FirstPass first) {
    KEYSWAP_EXPECTS(first.places_all());
    record_pass(context, first.refined, first.result, first.subs.placements);
    return {1, std::move(first.subs.final)};
}

Partition
partition(RunContext const& context, std::vector<GpuState>& gpus, std::optional<FirstPass> first) {
    Partition outcome;
    std::vector<SpanningBucket> refined;
    if (context.key_count > 0) {
        refined = whole_input(gpus);
    }
    while (!refined.empty()) {
        int const pass = ++outcome.passes;
        NvtxRange const range{"partitioning pass"};
        bool const known = pass == 1 && first.has_value();
        if (!known) {
            launch_histograms(context, gpus, refined, pass, ImageCode{});
        }
        PassResult const result =
            known ? first->result : decide_placement(context, gpus, refined, pass);
        scatter_parts(context, gpus, refined, result, pass);
        SubBuckets subs =
            known ? std::move(first->subs) : sub_buckets(context, refined, result, pass);
        record_pass(context, refined, result, subs.placements);
        std::move(subs.final.begin(), subs.final.end(), std::back_inserter(outcome.buckets));
        refined = std::move(subs.spanning);
    }
    std::sort(outcome.buckets.begin(), outcome.buckets.end(), [](auto const& a, auto const& b) {
        return a.placement.begin < b.placement.begin;
    });
    return outcome;
}

} // namespace keyswap::kernels
