#include "kernels/exchange_plan/swap_sends.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace keyswap::kernels {

namespace {

/// A part that its destination fills instead of receiving it.
struct FilledPart {
    GpuId source;
    std::uint64_t source_offset = 0;
    RoundFill fill;

    [[nodiscard]] std::uint64_t source_end() const { return source_offset + fill.count; }
    [[nodiscard]] auto place() const { return std::tuple(source, source_offset); }
};

/// Parts to fill, by source and offset.
std::vector<FilledPart> filled_parts(std::span<SwapSegment const> segments,
                                     std::uint64_t keys_min) {
    std::vector<FilledPart> parts;
    for (SwapSegment const& segment : segments) {
        if (!segment.images.is_one_value()) {
            continue;
        }
        auto const image = static_cast<std::uint64_t>(segment.images.lowest);
        KEYSWAP_EXPECTS(segment.images.lowest == image);
        for (GpuId source{0}; source.value < segment.sent.size(); ++source.value) {
            KeyRange const& sent = segment.sent[source.value];
            if (source != segment.gpu && sent.count > 0 && sent.count >= keys_min) {
                std::uint64_t const arrival = segment.arrived[source.value].offset;
                parts.push_back({source, sent.offset, {segment.gpu, arrival, sent.count, image}});
            }
        }
    }
    std::ranges::sort(parts, {}, &FilledPart::place);
    return parts;
}

/// Adds the part [begin, end) of a copy's source range unless it is empty.
void add_run(std::vector<CopyRecord>& runs,
             CopyRecord const& whole,
             std::uint64_t begin,
             std::uint64_t end) {
    if (begin == end) {
        return;
    }
    CopyRecord& run = runs.emplace_back(whole);
    run.destination_offset += begin - run.source_offset;
    run.source_offset = begin;
    run.count = end - begin;
}

/// Adds the runs of a copy that are between filled parts.
void add_runs(std::vector<CopyRecord>& runs,
              CopyRecord const& copy,
              std::span<FilledPart const> parts) {
    std::uint64_t const end = copy.source_offset + copy.count;
    std::uint64_t at = copy.source_offset;
    auto part = std::ranges::lower_bound(
        parts, std::tuple(copy.source, copy.source_offset), {}, &FilledPart::place);
    for (; part != parts.end() && part->place() < std::tuple(copy.source, end); ++part) {
        KEYSWAP_EXPECTS(part->source_end() <= end && part->fill.gpu == copy.destination);
        KEYSWAP_EXPECTS(part->fill.offset ==
                        copy.destination_offset + (part->source_offset - copy.source_offset));
        add_run(runs, copy, at, part->source_offset);
        at = part->source_end();
    }
    add_run(runs, copy, at, end);
}

/// Joins fills that are adjacent in the arrivals and have the same image.
std::vector<RoundFill> fills_of(std::span<FilledPart const> parts) {
    std::vector<RoundFill> fills;
    std::ranges::transform(parts, std::back_inserter(fills), &FilledPart::fill);
    std::ranges::sort(
        fills, {}, [](RoundFill const& fill) { return std::tuple(fill.gpu, fill.offset); });
    std::vector<RoundFill> joined;
    for (RoundFill const& fill : fills) {
        bool const follows = !joined.empty() && joined.back().gpu == fill.gpu &&
                             joined.back().image == fill.image &&
                             joined.back().offset + joined.back().count == fill.offset;
        if (follows) {
            joined.back().count += fill.count;
        } else {
            joined.push_back(fill);
        }
    }
    return joined;
}

std::vector<std::optional<GpuId>> sources_before(std::span<CopyRecord const> copies,
                                                 std::uint32_t gpu_count) {
    std::vector<std::optional<GpuId>> last(gpu_count); // [destination]
    std::vector<std::optional<GpuId>> before;
    for (CopyRecord const& copy : copies) {
        std::optional<GpuId> const source =
            std::exchange(last[copy.destination.value], copy.source);
        before.push_back(source != copy.source ? source : std::nullopt);
    }
    return before;
}

} // namespace

SwapSends swap_sends(RoundPlan const& plan,
                     std::span<SwapSegment const> segments,
                     std::optional<std::uint64_t> keys_min) {
    std::vector<FilledPart> parts;
    if (keys_min) {
        parts = filled_parts(segments, *keys_min);
    }
    SwapSends sends;
    for (CopyRecord const& copy : plan.copies) {
        if (copy.source != copy.destination) {
            add_runs(sends.copies, copy, parts);
        }
    }
    sends.after = sources_before(sends.copies, plan.gpu_count);
    sends.fills = fills_of(parts);
    return sends;
}

} // namespace keyswap::kernels
