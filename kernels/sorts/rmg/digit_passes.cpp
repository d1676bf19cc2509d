#include "kernels/sorts/rmg/digit_passes.hpp"

#include "kernels/exchange/scattered_parts.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/copy_kernels.hpp"
#include "kernels/sorts/rmg/fast_memory.hpp"
#include "kernels/sorts/rmg/round_sort.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace keyswap::kernels {

namespace {

/// Moves a part back to the current buffer; if the part is the whole chunk, switches the current
/// buffer instead.
void settle_part(RunContext const& context, GpuState& gpu, KeyRange part, int sorted_place) {
    if (sorted_place == gpu.buffers.current) {
        return;
    }
    if (part.count == gpu.count) {
        gpu.buffers.current = sorted_place;
        return;
    }
    if (has_fault(DeviceFault::part_not_brought_back)) {
        return;
    }
    copy_to_other_buffer(gpu, context.shape, part, sorted_place);
}

/// A part to scatter, with the histogram of its digits.
struct PartToScatter {
    KeyRange part;
    std::span<std::uint64_t const> histogram;
};

void scatter_stably(RunContext const& context,
                    GpuState& gpu,
                    std::vector<PartToScatter> const& parts,
                    DigitWindow window) {
    for (auto const& [part, histogram] : parts) {
        int const sorted_place =
            launch_radix_sort(gpu.stream,
                              context.shape,
                              buffers_at(gpu.buffers, context.shape, part.offset),
                              part.count,
                              {window.shift, window.shift + window.bits},
                              gpu.resources->sort_temp.data(),
                              gpu.resources->sort_temp.size());
        settle_part(context, gpu, part, sorted_place);
    }
}

/// Uploads the parts with their tiles, and the offset of each digit within them.
SegmentParts upload_parts(GpuState const& gpu,
                          std::vector<PartToScatter> const& parts,
                          DigitWindow window,
                          std::uint32_t keys_per_tile) {
    FastMemory const& fast = fast_memory(gpu);
    std::span<std::uint32_t> const bins = fast.host_scatter_bins.span();
    KEYSWAP_EXPECTS(parts.size() << window.bits <= bins.size());
    SegmentParts segments{fast, 0, keys_per_tile};
    auto bin = bins.begin();
    for (auto const& [part, histogram] : parts) {
        segments.add(part.offset, part.count);
        bin = std::exclusive_scan(histogram.begin(), histogram.end(), bin, std::uint32_t{0});
    }
    segments.upload(gpu.stream);
    copy_table(gpu.stream, fast.scatter_bins.data(), bins.data(), parts.size() << window.bits);
    return segments;
}

/// Scatters all parts in one launch, from the current buffer to the other.
void scatter_unstably(RunContext const& context,
                      GpuState& gpu,
                      std::vector<PartToScatter> const& parts,
                      DigitWindow window) {
    if (parts.empty()) {
        return;
    }
    FastMemory const& fast = fast_memory(gpu);
    SegmentParts const segments =
        upload_parts(gpu, parts, window, unstable_tile_keys(context.shape));
    DigitStep step = step_between(gpu, gpu.buffers.current);
    step.tiles = fast.tiles.data();
    step.tile_count = segments.tile_count();
    step.bins = fast.scatter_bins.data();
    step.bins_stride = window.digit_count();
    step.segment_count = segments.table().segment_count;
    step.shift = window.shift;
    step.bits = window.bits;
    step.encode = window.encode;
    launch_unstable_step(gpu.stream, context.shape, step);

    std::vector<KeyRange> scattered;
    scattered.reserve(parts.size());
    for (PartToScatter const& each : parts) {
        scattered.push_back(each.part);
    }
    join_scattered(context, gpu, scattered);
}

/// A GPU's parts with keys of several digits; the others are already in order.
std::vector<PartToScatter> parts_of(GpuState const& gpu,
                                    std::vector<SpanningBucket> const& refined,
                                    PassResult const& result,
                                    bool encode) {
    std::vector<PartToScatter> parts;
    for (std::size_t i = 0; i < refined.size(); ++i) {
        KeyRange const part = refined[i].parts[gpu.id.value];
        auto const histogram = result.histogram(gpu.id.value, i);
        auto const used = std::count_if(
            histogram.begin(), histogram.end(), [](std::uint64_t keys) { return keys > 0; });
        if (part.count > 0 && (used > 1 || encode)) {
            parts.push_back({part, histogram});
        }
    }
    return parts;
}

} // namespace

void DigitPasses::begin_pass(int pass,
                             std::vector<GpuState> const& /*gpus*/,
                             std::span<SpanningBucket const> /*refined*/) {
    pass_ = pass;
}

int DigitPasses::child_bits() const {
    return context_.key_shape.bits_of(pass_);
}

ImageRange DigitPasses::child_images(SpanningBucket const& refined,
                                     std::size_t /*i*/,
                                     std::uint32_t child) const {
    return images_of_digits(child_of(refined.bucket, child_bits(), child), context_.key_shape);
}

BucketFunction const* DigitPasses::function(std::size_t /*i*/) const {
    return nullptr;
}

void DigitPasses::count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const {
    launch_histogram(gpu.stream, context_.shape.key_bytes, gpu.keys(), parts, window(), counts);
}

void DigitPasses::scatter(std::vector<GpuState>& gpus,
                          std::vector<SpanningBucket> const& refined,
                          PassResult const& result) const {
    DigitWindow window{context_.key_shape.bits_below(pass_), child_bits(), {}};
    if (context_.unstable_scatter && pass_ == 1) {
        window.encode = context_.code;
    }
    for (GpuState& gpu : gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase = begin_phase(context_, gpu, Phase::scatter, pass_);
        auto const parts = parts_of(gpu, refined, result, !window.encode.is_identity());
        if (!parts.empty() && (gpu.buffers.current == 1 || pass_ > 1 || window.bits > 8)) {
            context_.mark_chunks_overwritten();
        }
        if (context_.unstable_scatter) {
            scatter_unstably(context_, gpu, parts, window);
        } else {
            scatter_stably(context_, gpu, parts, window);
        }
        context_.clock->end(phase);
    }
}

} // namespace keyswap::kernels
