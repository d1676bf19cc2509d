#include "kernels/sorts/rmg/part_scatter.hpp"

#include "kernels/faults/device_faults.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>

namespace keyswap::kernels {

namespace {

/// Moves a part back to the current place, or takes the other place as current if it is the chunk.
void settle_part(RunContext const& context, Rank& rank, BucketPart part, int sorted_place) {
    if (sorted_place == rank.place.current) {
        return;
    }
    if (part.count == rank.count) {
        rank.place.current = sorted_place;
        return;
    }
    if (has_fault(DeviceFault::part_not_brought_back)) {
        return;
    }
    copy_to_other_place(rank, context.shape, {part.offset, part.count}, sorted_place);
}

/// A part to scatter, and how many of its keys have each digit.
struct PartToScatter {
    BucketPart part;
    std::span<std::uint64_t const> histogram;
};

void scatter_stably(RunContext const& context,
                    Rank& rank,
                    std::vector<PartToScatter> const& parts,
                    DigitWindow window) {
    for (auto const& [part, histogram] : parts) {
        int const sorted_place =
            launch_radix_sort(rank.stream,
                              context.shape,
                              buffers_at(rank.place, context.shape, part.offset),
                              part.count,
                              {window.shift, window.shift + window.bits},
                              rank.resources->sort_temp.data(),
                              rank.resources->sort_temp.size());
        settle_part(context, rank, part, sorted_place);
    }
}

/// Uploads the parts, and where each digit begins inside them. \return the number of tiles
std::uint32_t upload_parts(Rank const& rank,
                           std::vector<PartToScatter> const& parts,
                           DigitWindow window,
                           std::uint32_t keys_per_tile) {
    FastResources const& fast = rank.resources->fast;
    std::span<SegmentPart> const segments = fast.host_parts.span();
    std::span<std::uint32_t> const bins = fast.host_scatter_bins.span();
    KEYSWAP_EXPECTS(parts.size() <= segments.size() && parts.size() << window.bits <= bins.size());
    std::uint32_t tiles = 0;
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
        auto const& [part, histogram] = parts[i];
        segments[i] = {part.offset, part.count, part.offset, i, tiles, tiles, 0};
        tiles += static_cast<std::uint32_t>((part.count + keys_per_tile - 1) / keys_per_tile);
        std::uint64_t before = 0;
        for (std::size_t digit = 0; digit < histogram.size(); ++digit) {
            bins[(std::size_t{i} << window.bits) + digit] = static_cast<std::uint32_t>(before);
            before += histogram[digit];
        }
    }
    KEYSWAP_CUDA(cudaMemcpyAsync(fast.parts.data(),
                                 segments.data(),
                                 parts.size() * sizeof(SegmentPart),
                                 cudaMemcpyHostToDevice,
                                 rank.stream));
    KEYSWAP_CUDA(cudaMemcpyAsync(fast.scatter_bins.data(),
                                 bins.data(),
                                 (parts.size() << window.bits) * sizeof(std::uint32_t),
                                 cudaMemcpyHostToDevice,
                                 rank.stream));
    return tiles;
}

/// The stretches of a chunk that no part covers. \param parts ascending
std::vector<KeyRange> gaps_between(std::vector<PartToScatter> const& parts, std::uint64_t count) {
    std::vector<KeyRange> gaps;
    std::uint64_t at = 0;
    for (auto const& [part, histogram] : parts) {
        gaps.push_back({at, part.offset - at});
        at = part.offset + part.count;
    }
    gaps.push_back({at, count - at});
    return gaps;
}

/// All parts in one launch, from the current place to the other; then whichever is less follows:
/// the parts back, or what lies between them.
void scatter_unstably(RunContext const& context,
                      Rank& rank,
                      std::vector<PartToScatter> const& parts,
                      DigitWindow window) {
    if (parts.empty()) {
        return;
    }
    FastResources const& fast = rank.resources->fast;
    std::uint32_t const keys_per_tile = unstable_tile_keys(context.shape.key_bytes);
    auto const part_count = static_cast<std::uint32_t>(parts.size());
    std::uint32_t const tile_count = upload_parts(rank, parts, window, keys_per_tile);
    launch_tiles(
        rank.stream, fast.parts.data(), part_count, tile_count, keys_per_tile, fast.tiles.data());
    int const from = rank.place.current;
    int const to = 1 - from;
    DigitStep step;
    step.keys_in = rank.place.keys[static_cast<std::size_t>(from)];
    step.keys_out = rank.place.keys[static_cast<std::size_t>(to)];
    step.tiles = fast.tiles.data();
    step.tile_count = tile_count;
    step.bins = fast.scatter_bins.data();
    step.bins_stride = window.digit_count();
    step.scratch = reinterpret_cast<std::uint32_t*>(rank.resources->sort_temp.data());
    step.segment_count = part_count;
    step.shift = window.shift;
    step.bits = window.bits;
    step.encode = window.encode;
    launch_unstable_step(rank.stream, context.shape.key_bytes, step);

    std::uint64_t scattered = 0;
    for (PartToScatter const& each : parts) {
        scattered += each.part.count;
    }
    if (scattered >= rank.count / 2) {
        for (KeyRange const& gap : gaps_between(parts, rank.count)) {
            copy_to_other_place(rank, context.shape, gap, from);
        }
        rank.place.current = to;
        return;
    }
    if (has_fault(DeviceFault::part_not_brought_back)) {
        return;
    }
    for (PartToScatter const& each : parts) {
        copy_to_other_place(rank, context.shape, {each.part.offset, each.part.count}, to);
    }
}

/// A rank's parts that hold keys of more than one digit; the others are in order already.
std::vector<PartToScatter> parts_of(Rank const& rank,
                                    std::vector<SpanningBucket> const& refined,
                                    PassResult const& result,
                                    bool encode) {
    std::vector<PartToScatter> parts;
    for (std::size_t i = 0; i < refined.size(); ++i) {
        BucketPart const part = refined[i].parts[rank.gpu.value];
        auto const histogram = result.histogram(rank.gpu.value, i);
        auto const used = std::count_if(
            histogram.begin(), histogram.end(), [](std::uint64_t keys) { return keys > 0; });
        if (part.count > 0 && (used > 1 || encode)) {
            parts.push_back({part, histogram});
        }
    }
    return parts;
}

} // namespace

void scatter_parts(RunContext const& context,
                   std::vector<Rank>& ranks,
                   std::vector<SpanningBucket> const& refined,
                   PassResult const& result,
                   int pass) {
    DigitWindow window{context.key_shape.bits_below(pass), context.key_shape.bits_of(pass), {}};
    if (context.unstable_scatter && pass == 1) {
        window.encode = context.code;
    }
    for (Rank& rank : ranks) {
        DeviceScope const scope{rank.device};
        auto const phase =
            context.clock->begin(rank.gpu, rank.device, rank.stream, Phase::scatter, pass);
        auto const parts = parts_of(rank, refined, result, !window.encode.is_identity());
        if (!parts.empty() && (rank.place.current == 1 || pass > 1 || window.bits > 8)) {
            context.mark_chunks_overwritten();
        }
        if (context.unstable_scatter) {
            scatter_unstably(context, rank, parts, window);
        } else {
            scatter_stably(context, rank, parts, window);
        }
        context.clock->end(phase, rank.stream);
    }
}

} // namespace keyswap::kernels
