#include "kernels/sorts/rmg/fast_run.hpp"

#include "kernels/faults/device_faults.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <span>

namespace keyswap::kernels {

namespace {

/// Appends parts to pinned memory and counts their tiles.
class PartWriter {
  public:
    explicit PartWriter(std::span<SegmentPart> memory) : memory_(memory) {}

    void begin_run(std::uint32_t keys_per_tile) { run_ = {used_, 0, 0, keys_per_tile}; }
    void begin_segment() { segment_tile_ = run_.tile_count; }
    void add(std::uint64_t source,
             std::uint64_t count,
             std::uint64_t destination,
             std::uint32_t segment) {
        if (count == 0) {
            return;
        }
        KEYSWAP_EXPECTS(used_ < memory_.size());
        memory_[used_++] = {source, count, destination, segment, run_.tile_count, segment_tile_, 0};
        run_.part_count += 1;
        run_.tile_count +=
            static_cast<std::uint32_t>((count + run_.keys_per_tile - 1) / run_.keys_per_tile);
    }
    [[nodiscard]] PartRun run() const { return run_; }
    [[nodiscard]] std::uint32_t used() const { return used_; }

  private:
    std::span<SegmentPart> memory_;
    std::uint32_t used_ = 0;
    PartRun run_;
    std::uint32_t segment_tile_ = 0;
};

std::uint64_t size_of(PlacementRecord const& placement) {
    return placement.end - placement.begin;
}

RoundTables
write_round(FastRun const& run, GpuState const& gpu, RoundRange const& range, PartWriter& writer) {
    RoundTables tables;
    std::uint64_t const base = run.ownership[gpu.id.value].base;
    tables.segments = static_cast<std::uint32_t>(range.end_bucket - range.first_bucket);
    writer.begin_run(run.first_tile_keys());
    for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
        writer.begin_segment();
        for (std::uint32_t turn = 0; turn < run.plan.gpu_count; ++turn) {
            std::uint32_t const source =
                has_fault(DeviceFault::unstable_pairs) ? run.plan.gpu_count - 1 - turn : turn;
            writer.add(run.plan.arrival_of(i, source),
                       run.buckets[i].parts[source].count,
                       run.buckets[i].placement.begin - base,
                       static_cast<std::uint32_t>(i - range.first_bucket));
        }
    }
    tables.arrival = writer.run();
    writer.begin_run(tile_keys(run.context.shape));
    for (std::size_t i = range.first_bucket; i < range.end_bucket; ++i) {
        writer.begin_segment();
        std::uint64_t const begin = run.buckets[i].placement.begin - base;
        writer.add(begin,
                   size_of(run.buckets[i].placement),
                   begin,
                   static_cast<std::uint32_t>(i - range.first_bucket));
    }
    tables.in_order = writer.run();
    return tables;
}

} // namespace

GpuTables upload_tables(FastRun const& run, GpuState const& gpu) {
    FastMemory const& fast = fast_memory(gpu);
    PartWriter writer{fast.host_parts.span()};
    GpuTables tables;
    writer.begin_run(run.first_tile_keys());
    writer.begin_segment();
    writer.add(0, gpu.count, 0, 0);
    tables.chunk = writer.run();
    if (run.sort != BucketSort::levels) {
        for (RoundRange const& range : run.plan.ranges[gpu.id.value]) {
            tables.rounds.push_back(write_round(run, gpu, range, writer));
        }
    }
    auto const bins = fast.host_scatter_bins.span().first(step_bins);
    std::fill(bins.begin(), bins.end(), 0U);
    for (std::size_t i = 0; i < run.buckets.size(); ++i) {
        bins[run.buckets[i].placement.bucket.prefix] =
            static_cast<std::uint32_t>(run.plan.layout_of(i, gpu.id.value));
    }
    KEYSWAP_CUDA(cudaMemcpyAsync(fast.parts.data(),
                                 fast.host_parts.data(),
                                 writer.used() * sizeof(SegmentPart),
                                 cudaMemcpyHostToDevice,
                                 gpu.stream));
    KEYSWAP_CUDA(cudaMemcpyAsync(fast.scatter_bins.data(),
                                 bins.data(),
                                 bins.size_bytes(),
                                 cudaMemcpyHostToDevice,
                                 gpu.stream));
    return tables;
}

void build_tiles(GpuState const& gpu, PartRun parts, SortTile* tiles) {
    launch_tiles(gpu.stream,
                 fast_memory(gpu).parts.data() + parts.first_part,
                 parts.part_count,
                 parts.tile_count,
                 parts.keys_per_tile,
                 tiles);
}

void record_plan(FastRun const& run) {
    TraceSink* const trace = run.context.trace;
    if (trace == nullptr) {
        return;
    }
    trace->declare(SwapLayout::by_round);
    for (OwnershipRecord const& record : run.ownership) {
        trace->write(record);
    }
    for (RoundCopy const& entry : run.plan.copies) {
        trace->write(entry.copy);
    }
    std::vector<OwnedBucket> const owned = owned_buckets(run.buckets, run.ownership);
    for (OwnedBucket const& piece : owned) {
        trace->write(SortRangeRecord{piece.gpu, piece.offset, piece.count, 0, run.bits_left()});
    }
}

void record_round_digests(FastRun const& run, DigestStage stage) {
    if (run.context.trace == nullptr) {
        return;
    }
    for (GpuState const& gpu : run.gpus) {
        std::vector<BucketPiece> pieces;
        for (std::size_t i = 0; i < run.buckets.size(); ++i) {
            FinalBucket const& bucket = run.buckets[i];
            for (std::uint32_t source = 0; source < run.plan.gpu_count; ++source) {
                bool const here = stage == DigestStage::before_swap
                                      ? source == gpu.id.value
                                      : bucket.placement.first == gpu.id;
                std::uint64_t const count = bucket.parts[source].count;
                if (here && count > 0) {
                    std::uint64_t const offset = stage == DigestStage::before_swap
                                                     ? run.plan.layout_of(i, source)
                                                     : run.plan.arrival_of(i, source);
                    pieces.push_back({bucket.placement.bucket, {offset, count}});
                }
            }
        }
        GpuState looked_at = gpu;
        looked_at.buffers.current = stage == DigestStage::before_swap ? 1 : 0;
        write_digests(run.context, looked_at, pieces, stage);
    }
}

} // namespace keyswap::kernels
