/// \file Work that does not divide segments: leaves, ranges sorted by counting, and ranges already
/// in order.

#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/stretch_tiles.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/local/arrived_batch.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/primitives/leaves/quicksort_leaves.hpp"
#include "kernels/primitives/steps/stretch_counts.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

namespace keyswap::kernels {

void LocalSort::queue_leaf_ranges() {
    std::size_t const count = std::min(leaf_ranges_.size(), memory_.sizes.children());
    std::span const batch{leaf_ranges_.data(), count};
    std::vector<std::uint64_t> counts;
    std::vector<std::uint64_t> ends;
    std::vector<std::uint8_t> one_value;
    for (SortRangeRecord const& range : batch) {
        counts.push_back(range.count);
        ends.push_back(range.offset + range.count);
        one_value.push_back(range.end_bit == 0 ? 1 : 0);
    }
    copy_array(gpu_.stream, memory_.counts.data(), counts.data(), count);
    copy_array(gpu_.stream, memory_.cursors.data(), ends.data(), count);
    copy_array(gpu_.stream, memory_.one_value.data(), one_value.data(), count);
    queue_kinds(count, ChildCursors::at_ends);
    leaf_ranges_.erase(leaf_ranges_.begin(),
                       leaf_ranges_.begin() + static_cast<std::ptrdiff_t>(count));
}

void LocalSort::queue_kinds(std::size_t children, ChildCursors at) {
    memory_.queue_kinds(gpu_.stream, leaf_sizes_, children, at);
    memory_.batch_known.record(gpu_.stream);
    batch_has_kinds_ = true;
}

/// Queues the leaves among the batch's children, with parallel streams for their classes.
void LocalSort::sort_leaves() {
    ChildKinds const& kinds = *memory_.host_kinds.data();
    if (std::ranges::all_of(kinds.leaves, [](std::uint32_t leaves) { return leaves == 0; })) {
        return;
    }
    bool const reads_other = has_fault(DeviceFault::level_from_other_buffer) && batch_level_ > 0;
    std::size_t const from = buffer_of(reads_other ? batch_level_ - 1 : batch_level_);
    std::size_t const to = buffer_of(1);
    if (method_ == LevelMethod::splitters_published) {
        sort_leaves_as_published(kinds, from, to);
        return;
    }
    SideStreams const& side = memory_.side;
    std::array const streams{gpu_.stream, side.streams[0].get(), side.streams[1].get()};
    side.begin.record(gpu_.stream);
    for (Stream const& stream : side.streams) {
        side.begin.make_wait(stream.get());
    }
    auto const [keys_in, keys_out, values_in, values_out] = arrays_between(gpu_.buffers, from, to);
    launch_leaf_sorts(streams,
                      {context_.shape,
                       context_.ties,
                       memory_.table(),
                       kinds,
                       {keys_in, keys_out, values_in, values_out, context_.code}});
    for (std::size_t i = 0; i < side.streams.size(); ++i) {
        side.ends[i].record(side.streams[i].get());
        side.ends[i].make_wait(gpu_.stream);
    }
}

void LocalSort::sort_leaves_as_published(ChildKinds const& kinds,
                                         std::size_t from,
                                         std::size_t to) {
    QuicksortArrays arrays;
    for (std::size_t i = 0; i < 2; ++i) {
        arrays.keys[i] = gpu_.buffers.keys[i];
        arrays.values[i] = gpu_.buffers.values[i];
    }
    arrays.from = static_cast<int>(from);
    arrays.to = static_cast<int>(to);
    arrays.decode = context_.code;
    launch_quicksort_leaves(gpu_.stream, context_.shape, memory_.table(), kinds, arrays);
}

/// Queues as many arrived segments as there are counters.
void LocalSort::queue_arrived_counts() {
    ArrivedBatch batch{memory_, stretch_tile_keys_max, stretch_fill_keys};
    batch.take(
        arrived_counted_,
        [](ArrivedSegment const&) { return BitWindow{}; },
        memory_.sizes.stretches);
    count_stretches(batch.parts, batch.places, buffer_of(0));
}

/// Queues all ranges that a block each counts, and as many larger ones as there are counters; only
/// ranges in the same buffer.
void LocalSort::queue_counts() {
    std::size_t const from = counted_.front().buffer;
    auto const is_taken = [from](CountedRange const& counted) { return counted.buffer == from; };
    std::size_t const tiled_max = std::min(memory_.sizes.stretches, memory_.sizes.segments);
    std::uint64_t all = 0;
    std::uint64_t above_narrow = 0;
    for (CountedRange const& counted : counted_ | std::views::filter(is_taken)) {
        ++all;
        above_narrow += counted.range.count > narrow_stretch_keys ? 1 : 0;
    }
    std::uint32_t const by_block_max = stretch_by_block_max(all, above_narrow, tiled_max);
    SegmentParts by_block{memory_, memory_.sizes.counted_begin(), middle_stretch_keys};
    auto const take_up_to = [&](std::uint64_t most) {
        std::uint32_t taken = 0;
        std::erase_if(counted_, [&](CountedRange const& counted) {
            if (!is_taken(counted) || counted.range.count > most) {
                return false;
            }
            by_block.add(counted.range.offset, counted.range.count);
            ++taken;
            return true;
        });
        return taken;
    };
    std::uint32_t const narrow_count = take_up_to(std::min(by_block_max, narrow_stretch_keys));
    std::uint32_t const middle_count = take_up_to(by_block_max);
    std::vector<KeyRange> tiled;
    std::uint64_t tiled_keys = 0;
    std::erase_if(counted_, [&](CountedRange const& counted) {
        if (!is_taken(counted) || tiled.size() == tiled_max) {
            return false;
        }
        tiled.push_back(counted.range);
        tiled_keys += counted.range.count;
        return true;
    });
    SegmentParts parts{memory_, memory_.sizes.arrived_begin(), stretch_tile_size(tiled_keys)};
    SegmentParts places{memory_, memory_.sizes.places_begin(), stretch_fill_keys};
    for (KeyRange const& range : tiled) {
        parts.add(range.offset, range.count);
        places.add(range.offset, range.count);
    }
    by_block.upload_parts(gpu_.stream);
    BlockStretches stretches{static_cast<std::uint32_t const*>(gpu_.buffers.keys[from]),
                             static_cast<std::uint32_t*>(gpu_.buffers.keys[buffer_of(1)]),
                             by_block.data(),
                             narrow_count,
                             context_.code};
    launch_narrow_stretches(gpu_.stream, stretches);
    stretches.stretches += narrow_count;
    stretches.stretch_count = middle_count;
    launch_middle_stretches(gpu_.stream, stretches);
    count_stretches(parts, places, from);
}

/// \param parts ranges in buffer `from` \param places their destinations in the result
void LocalSort::count_stretches(SegmentParts const& parts,
                                SegmentParts const& places,
                                std::size_t from) {
    LabelTiles const tiles = parts.tiles();
    if (tiles.tile_count == 0) {
        return;
    }
    parts.upload(gpu_.stream);
    places.upload_parts(gpu_.stream);
    StretchCounters const counters{memory_.stretch_counts.data(), memory_.stretch_high.data()};
    launch_stretch_counts(
        gpu_.stream, keys_read(from), tiles.tiles, tiles.tile_count, tiles.segment_count, counters);
    launch_stretch_fill(gpu_.stream,
                        static_cast<std::uint32_t*>(gpu_.buffers.keys[buffer_of(1)]),
                        places.data(),
                        tiles.segment_count,
                        places.tiles().tile_count,
                        counters,
                        context_.code);
}

/// Copies sorted ranges among the batch's children to the result and decodes them.
void LocalSort::copy_ranges(std::vector<KeyRange> const& ranges) {
    std::size_t const from = buffer_of(batch_level_);
    bool const is_there = from == buffer_of(1) && context_.code.is_identity();
    if (ranges.empty() || is_there) {
        return;
    }
    SegmentParts parts{memory_, memory_.sizes.copied_begin(), label_tile_keys(context_.shape)};
    for (KeyRange const& range : ranges) {
        parts.add(range.offset, range.count);
    }
    copy_tiles(parts, from);
}

/// Queues as many arrived segments of equal keys as fit a batch.
void LocalSort::copy_arrived_in_order() {
    SegmentParts parts{memory_, memory_.sizes.arrived_begin(), label_tile_keys(context_.shape)};
    std::uint32_t number = 0;
    auto next = arrived_in_order_.begin();
    for (;
         next != arrived_in_order_.end() && number + (*next)->parts.size() <= memory_.sizes.arrived;
         ++next) {
        std::uint64_t to = (*next)->begin;
        for (ArrivedPart const& part : (*next)->parts) {
            parts.add_part(part, to, number++);
            to += part.count;
        }
    }
    arrived_in_order_.erase(arrived_in_order_.begin(), next);
    copy_tiles(parts, buffer_of(0));
}

void LocalSort::copy_tiles(SegmentParts const& parts, std::size_t from) {
    parts.upload(gpu_.stream);
    launch_decoding_copy(gpu_.stream,
                         context_.shape,
                         parts.tiles(),
                         arrays_between(gpu_.buffers, from, buffer_of(1)),
                         context_.code);
}

} // namespace keyswap::kernels
