#include "kernels/sorts/rmg/fast_run.hpp"

#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/copy_kernels.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <span>

namespace keyswap::kernels {

namespace {

/// Location of a source's keys of a bucket for the first step of a round.
ArrivedPart part_of_round(FastRun const& run,
                          GpuState const& gpu,
                          RoundRange const& range,
                          std::size_t bucket,
                          std::uint32_t source) {
    RoundPlan const& plan = run.rounds.plan;
    std::uint64_t const count = run.buckets[bucket].parts[source].count;
    if (source == gpu.id.value && range.own_part == KeyBuffer::output) {
        return {plan.layout_of(bucket, source), count, KeyBuffer::output};
    }
    return {plan.arrival_of(bucket, source), count};
}

/// \param first index of the first part in the GPU's memory
RoundTables
make_round(FastRun const& run, GpuState const& gpu, RoundRange const& range, std::size_t first) {
    std::uint64_t const base = run.ownership[gpu.id.value].base;
    SegmentParts arrival{fast_memory(gpu), first, run.first_tile_keys()};
    for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
        for (std::uint32_t turn = 0; turn < run.rounds.plan.gpu_count; ++turn) {
            std::uint32_t const source = has_fault(DeviceFault::unstable_pairs)
                                             ? run.rounds.plan.gpu_count - 1 - turn
                                             : turn;
            ArrivedPart const part = part_of_round(run, gpu, range, i, source);
            if (part.count > 0) {
                arrival.add_part(part,
                                 run.buckets[i].placement.begin - base,
                                 static_cast<std::uint32_t>(i - range.first_bucket));
            }
        }
    }
    SegmentParts in_order{fast_memory(gpu), arrival.end(), tile_keys(run.context.shape)};
    for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
        in_order.add(run.buckets[i].placement.begin - base, run.buckets[i].count());
    }
    return {arrival, in_order};
}

/// Uploads the destination of each digit.
void upload_digits(GpuState const& gpu, BitWindow digit, std::span<ScatterLabel const> labels) {
    FastMemory const& fast = fast_memory(gpu);
    std::size_t const digits = std::size_t{1} << (digit.end - digit.begin);
    // Kernels read at least 256 entries.
    std::size_t const count = std::max<std::size_t>(digits, step_bins);
    auto const bins = fast.host_scatter_bins.span().first(count);
    std::ranges::fill(bins, 0U);
    for (ScatterLabel const& label : labels) {
        bins[static_cast<std::size_t>(label.lowest >> digit.begin) & (digits - 1)] =
            static_cast<std::uint32_t>(label.offset);
    }
    copy_table(gpu.stream, fast.scatter_bins.data(), fast.host_scatter_bins.data(), count);
}

/// Uploads the lookup table from keys to image ranges and the destination of each range.
void upload_ranges(FastRun const& run, GpuState const& gpu, std::span<ScatterLabel const> labels) {
    KEYSWAP_EXPECTS(labels.size() <= range_labels_max);
    FastMemory const& fast = fast_memory(gpu);
    auto const bins = fast.host_scatter_bins.span().first(range_labels_max);
    std::ranges::fill(bins, 0U);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        bins[i] = static_cast<std::uint32_t>(labels[i].offset);
    }
    RangeLabels& host = *fast.host_labels.data();
    host.nodes = run.table.nodes;
    host.labels = run.table.labels;
    host.depth = run.table.depth;
    std::ranges::copy(run.table.entries, host.entries);
    std::ranges::transform(labels, host.lowest, [](ScatterLabel const& label) {
        return static_cast<std::uint64_t>(label.lowest);
    });
    copy_table(
        gpu.stream, fast.scatter_bins.data(), fast.host_scatter_bins.data(), range_labels_max);
    copy_table(gpu.stream, fast.labels.data(), fast.host_labels.data(), 1);
}

} // namespace

LeadingCounts FastRun::leading_counts(GpuState const& gpu) const {
    return has_leading_counts ? leading_counts_of(context, gpu, context.rule.gpu_count)
                              : LeadingCounts{};
}

GpuTables upload_tables(FastRun const& run, GpuState const& gpu) {
    FastMemory const& fast = fast_memory(gpu);
    SegmentParts chunk{fast, 0, run.first_tile_keys()};
    chunk.add(0, gpu.count);
    GpuTables tables{chunk, {}};
    std::size_t end = chunk.end();
    if (run.sort != BucketSort::levels) {
        for (RoundRange const& range : run.rounds.plan.ranges[gpu.id.value]) {
            tables.rounds.push_back(make_round(run, gpu, range, end));
            end = tables.rounds.back().in_order.end();
        }
    }
    copy_table(gpu.stream, fast.parts.data(), fast.host_parts.data(), end);
    std::vector<ScatterLabel> const labels = scatter_labels(run.rounds.segments, gpu.id.value);
    if (run.scatter_digit) {
        upload_digits(gpu, *run.scatter_digit, labels);
    } else {
        upload_ranges(run, gpu, labels);
    }
    return tables;
}

} // namespace keyswap::kernels
