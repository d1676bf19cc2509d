/// \file The division of segments by a level.

#include "kernels/exchange_plan/segment_levels.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/local/arrived_batch.hpp"
#include "kernels/local/local_sort.hpp"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/steps/counting_sort.hpp"
#include "kernels/primitives/steps/direct_step.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {

namespace {

/// A level shrinks segments a hundredfold in general: no input needs as many levels.
constexpr int levels_max = 64;

} // namespace

/// Chooses the step for the widest of the batch's digits.
void LocalSort::choose_step() {
    auto const width = [](BitWindow digit) { return digit.end - digit.begin; };
    int const widest = width(std::ranges::max(batch_digits_, {}, width));
    batch_child_bits_ = widest > step_bits ? wide_step_bits : step_bits;
}

std::uint32_t LocalSort::digit_tile_keys() const {
    return context_.ties == Stability::stable ? tile_keys(context_.shape, batch_child_bits_)
                                              : unstable_tile_keys(context_.shape);
}

/// Queues as many segments as fit a batch, each with its own digit.
void LocalSort::queue_arrived() {
    batch_level_ = 0;
    batch_digits_.clear();
    for (ArrivedSegment const* const segment : arrived_) {
        batch_digits_.push_back(first_digit_of(*segment));
    }
    choose_step();
    std::uint32_t const tile = digit_tile_keys();
    ArrivedBatch batch{memory_, tile, tile};
    batch.take(arrived_, [this, &batch](ArrivedSegment const& /*segment*/) {
        return batch_digits_[batch.count];
    });
    batch.places.upload_parts(gpu_.stream);
    batch.parts.upload(gpu_.stream);
    batch_level_ = 1;
    divide_by_digits(batch.places.data(), batch.parts, buffer_of(0));
}

void LocalSort::queue_arrived_by_splitters() {
    constexpr std::uint32_t few_ways = 2; // for segments that only need to be gathered
    std::uint32_t const leaf = leaf_sizes_.back();
    std::span<SplitSegment> const host_segments = memory_.host_segments.span();
    std::uint32_t const tile = label_tile_keys(context_.shape);
    ArrivedBatch batch{memory_, tile, tile};
    batch.take(arrived_, [&](ArrivedSegment const& segment) {
        host_segments[batch.count] = {segment.begin,
                                      segment.count,
                                      segment.count > leaf ? local_ways(segment.count, leaf)
                                                           : few_ways,
                                      static_cast<std::uint32_t>(segment.parts.size()),
                                      batch.part_count,
                                      0};
        return BitWindow{};
    });
    batch.places.upload_parts(gpu_.stream);
    batch.parts.upload(gpu_.stream);
    batch_level_ = 1;
    divide_by_splitters(batch.places.data(), batch.parts.tiles(), buffer_of(0), batch.parts.data());
}

void LocalSort::queue_segments() {
    auto const first = segments_.begin();
    int const level = first->first;
    std::vector<Segment>& segments = first->second;
    KEYSWAP_EXPECTS(level < levels_max);
    bool const is_published = method_ == LevelMethod::splitters_published;
    std::span<SplitSegment> const host_segments = memory_.host_segments.span();
    std::size_t const count = std::min(host_segments.size(), segments.size());
    batch_digits_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        batch_digits_.push_back(segments[i].digit);
    }
    choose_step();
    std::uint32_t const tile = is_published                     ? direct_tile_keys
                               : method_ == LevelMethod::digits ? digit_tile_keys()
                                                                : label_tile_keys(context_.shape);
    SegmentParts parts{memory_, memory_.sizes.places_begin(), tile};
    for (std::size_t i = 0; i < count; ++i) {
        KeyRange const range = segments[i].range;
        parts.add(range.offset, range.count, segments[i].digit);
        host_segments[i] = {range.offset,
                            range.count,
                            is_published ? direct_ways
                                         : local_ways(range.count, leaf_sizes_.back())};
    }
    segments.erase(segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(count));
    if (segments.empty()) {
        segments_.erase(first);
    }
    parts.upload(gpu_.stream);
    batch_level_ = level + 1;
    std::size_t const from = buffer_of(level);
    switch (method_) {
    case LevelMethod::splitters:
        divide_by_splitters(parts.data(), parts.tiles(), from, nullptr);
        break;
    case LevelMethod::splitters_published:
        divide_as_published(parts, count, from);
        break;
    case LevelMethod::digits:
        divide_by_digits(parts.data(), parts, from);
        break;
    }
}

/// Divides the batch's segments by their digits.
/// \param places device: destinations of the segments \param parts their current location
void LocalSort::divide_by_digits(SegmentPart const* places,
                                 SegmentParts const& parts,
                                 std::size_t from) {
    LabelTiles const tiles = parts.tiles();
    bool const is_stable = context_.ties == Stability::stable;
    int const digit_bits = batch_child_bits_;
    count_digits(parts.table(), tiles, from);
    DigitStep step{arrays_between(gpu_.buffers, from, 1 - from)};
    step.tiles = tiles.tiles;
    step.tile_count = tiles.tile_count;
    step.bins = memory_.bins.data();
    step.bins_stride = 1U << digit_bits;
    step.scratch = is_stable ? reinterpret_cast<std::uint32_t*>(gpu_.resources->sort_temp.data())
                             : memory_.taken.data();
    step.segment_count = tiles.segment_count;
    step.bits = digit_bits;
    bool const is_counted_next = digits_.is_dense() && batch_digits_.front().begin == counting_bits;
    if (!is_counted_next) {
        // Before the step, so that the next batch is planned and queued while it moves the keys.
        DigitChildren children;
        children.parts = places;
        children.bins = memory_.bins.data();
        children.digit_bits = digit_bits;
        children.counts = memory_.counts.data();
        children.ends = memory_.cursors.data();
        children.one_values = memory_.one_value.data();
        launch_digit_children(gpu_.stream, children, tiles.segment_count);
        queue_kinds(std::size_t{tiles.segment_count} << digit_bits, ChildCursors::at_ends);
    }
    if (is_stable) {
        launch_digit_step(gpu_.stream, context_.shape, step);
    } else {
        launch_unstable_step(gpu_.stream, context_.shape, step);
    }
    if (is_counted_next) {
        CountingSort sort;
        sort.keys_in = static_cast<std::uint32_t const*>(gpu_.buffers.keys[1 - from]);
        sort.keys_out = static_cast<std::uint32_t*>(gpu_.buffers.keys[from]);
        sort.segments = places;
        sort.segment_count = tiles.segment_count;
        sort.bins = memory_.bins.data();
        sort.decode = context_.code;
        launch_counting_sort(gpu_.stream, sort);
    }
}

/// Counts the keys of the batch's segments by their digits, unless the counts of leading bits give
/// them. The first level of a GPU alone counts these.
void LocalSort::count_digits(PartTable const& parts, LabelTiles const& tiles, std::size_t from) {
    int const key_bytes = context_.shape.key_bytes;
    bool const is_leading = std::ranges::any_of(batch_digits_, [key_bytes](BitWindow digit) {
        return is_in_leading_bits(digit.begin, key_bytes);
    });
    if (is_leading && std::exchange(counts_leading_, false)) {
        launch_leading_counts(gpu_.stream, {key_bytes, gpu_.buffers.keys[from], end_}, leading_);
    }
    launch_segment_bins(gpu_.stream,
                        key_bytes,
                        {{keys_read(from),
                          parts,
                          {0, batch_child_bits_},
                          batch_child_bits_,
                          is_leading ? leading_ : LeadingCounts{},
                          memory_.bins.data(),
                          memory_.known.data()},
                         tiles.tiles,
                         tiles.tile_count});
}

/// Writes a tree for each of the batch's segments, from splitters that it samples.
/// \param parts device: parts of the segments; null if they are contiguous
void LocalSort::queue_trees(std::size_t count,
                            std::size_t from,
                            SegmentPart const* parts,
                            TreeShape const& shape) {
    copy_array(gpu_.stream, memory_.segments.data(), memory_.host_segments.data(), count);
    launch_segment_trees(gpu_.stream,
                         context_.shape.key_bytes,
                         {keys_read(from),
                          {memory_.segments.data(), static_cast<std::uint32_t>(count), parts},
                          shape,
                          memory_.trees.data(),
                          memory_.one_value.data()});
}

/// Divides each of the batch's segments into as many children as it needs.
void LocalSort::divide_by_splitters(SegmentPart const* places,
                                    LabelTiles const& tiles,
                                    std::size_t from,
                                    SegmentPart const* parts) {
    std::size_t const count = tiles.segment_count;
    TreeShape shape;
    shape.ways_max =
        std::ranges::max(memory_.host_segments.span().first(count), {}, &SplitSegment::ways).ways;
    queue_trees(count, from, parts, shape);
    launch_labels(gpu_.stream,
                  context_.shape.key_bytes,
                  keys_read(from),
                  tiles,
                  memory_.trees.data(),
                  memory_.labels.data(),
                  memory_.counts.data());
    launch_cursors(gpu_.stream, places, tiles, memory_.counts.data(), memory_.cursors.data());
    // The host queues subsequent work while the keys move.
    queue_kinds(count * tree_words, ChildCursors::at_begins);
    launch_label_move(gpu_.stream,
                      context_.shape,
                      tiles,
                      {arrays_between(gpu_.buffers, from, 1 - from),
                       memory_.labels.data(),
                       memory_.cursors.data()});
}

/// Divides each of the batch's segments into 128 children.
void LocalSort::divide_as_published(SegmentParts const& parts,
                                    std::size_t count,
                                    std::size_t from) {
    int const key_bytes = context_.shape.key_bytes;
    queue_trees(count, from, nullptr, direct_tree_shape(key_bytes));
    LabelTiles const label_tiles = parts.tiles();
    KEYSWAP_EXPECTS(label_tiles.tile_count <= memory_.sizes.direct_tiles);
    DirectTiles const tiles{label_tiles.tiles,
                            parts.data(),
                            label_tiles.tile_count,
                            static_cast<std::uint32_t>(count),
                            memory_.trees.data(),
                            reinterpret_cast<std::uint32_t*>(memory_.direct_table.data())};
    launch_direct_counts(gpu_.stream, key_bytes, gpu_.buffers.keys[from], tiles);
    std::uint64_t const entries = direct_table_entries(tiles.tile_count);
    launch_table_scan(gpu_.stream, entries, memory_.direct_table.data(), table_scan_bytes(entries));
    launch_direct_children(gpu_.stream, tiles, memory_.counts.data(), memory_.cursors.data());
    queue_kinds(count * direct_ways, ChildCursors::at_ends);
    launch_direct_scatter(
        gpu_.stream, context_.shape, tiles, arrays_between(gpu_.buffers, from, 1 - from));
}

} // namespace keyswap::kernels
