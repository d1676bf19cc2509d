#include "kernels/sorts/local/local_sort.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/direct_step.hpp"
#include "kernels/primitives/quicksort_leaves.hpp"
#include "kernels/sorts/local/local_ways.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <utility>

namespace keyswap::kernels {

namespace {

/// Every level makes its segments smaller, by a hundred times as a rule: no input needs so many.
constexpr int levels_max = 64;

static_assert(level_digit_bits_max == wide_step_bits);

/// What a counting sort leaves to two levels.
constexpr int counted_levels_bits = 32 - counting_bits;

/// Keys in the fullest of the stretches of 2^shift images, as 4,096 of them tell.
std::uint64_t fullest_stretch(RunContext const& context, GpuState const& gpu, int shift) {
    DeviceScope const scope{gpu.device};
    std::uint32_t* const most = local_memory(gpu).crowding.data();
    launch_crowding_sample(gpu.stream,
                           context.shape.key_bytes,
                           gpu.buffers.keys[static_cast<std::size_t>(gpu.buffers.current)],
                           gpu.count,
                           {},
                           shift,
                           most);
    wait_for(gpu.stream);
    // Uniform keys never give as many samples as 16 of one stretch of thousands.
    constexpr std::uint32_t chance = 16;
    return *most <= chance ? 0 : *most * (gpu.count / crowding_samples);
}

} // namespace

std::optional<LocalLevels>
lone_levels(RunContext const& context, GpuState const& gpu, DigitRow const& row) {
    constexpr std::uint64_t key_count_end = std::uint64_t{1} << 32; // places in a segment
    if (gpu.count < row.least_keys || gpu.count >= key_count_end) {
        return std::nullopt;
    }
    constexpr std::uint64_t crowded_keys = std::uint64_t{1} << 19; // counted in about 0.1 ms
    if (can_be_counted(row) && gpu.count >> counted_levels_bits >= context.counting_min &&
        fullest_stretch(context, gpu, counting_bits) <= crowded_keys) {
        return LocalLevels{LevelMethod::digits, true};
    }
    std::uint32_t const leaf = leaf_max(context.shape.key_bytes);
    if (gpu.count > leaf) {
        int const shift = context.shape.key_bytes * 8 - bits_to_leaves(gpu.count, leaf);
        // Eight leaves are one more level for few of the keys.
        if (fullest_stretch(context, gpu, shift) > 8ULL * leaf) {
            return row.crowded == CrowdedSort::splitters
                       ? std::optional(LocalLevels{LevelMethod::splitters, false})
                       : std::nullopt;
        }
    }
    return LocalLevels{LevelMethod::digits, false};
}

LocalSort::LocalSort(RunContext const& context,
                     GpuState& gpu,
                     LocalMemory const& memory,
                     LocalWork work,
                     LocalLevels levels)
    : context_(context), gpu_(gpu), memory_(memory), levels_(levels),
      leaf_sizes_(levels.method == LevelMethod::splitters_published
                      ? quicksort_leaf_sizes
                      : leaf_sizes(context.shape.key_bytes)),
      arrived_(work.arrived),
      piece_keys_(work.piece_keys == 0 ? ~std::uint64_t{0} : work.piece_keys),
      piece_end_(piece_keys_), batch_end_(context.shape.key_bytes * 8),
      first_buffer_(gpu.buffers.current) {
    KEYSWAP_EXPECTS(work.arrived.empty() ||
                    (levels.method == LevelMethod::digits && !levels.counting));
    gpu.buffers.current = 1 - first_buffer_; // where the result goes
    for (SortRangeRecord const& range : work.ranges) {
        sort_out(range);
        end_ = std::max(end_, range.offset + range.count);
    }
    for (ArrivedSegment const& segment : work.arrived) {
        end_ = std::max(end_, segment.begin + segment.count);
    }
}

/// Ranges are as children of a level that is done, of sizes that the host knows.
void LocalSort::sort_out(SortRangeRecord const& range) {
    std::uint64_t const extra = has_fault(DeviceFault::leaf_above_capacity) ? 1 : 0;
    if (range.count <= leaf_sizes_.back() + extra) {
        leaf_ranges_.push_back(range);
    } else if (range.end_bit == 0) {
        in_order_.push_back({range.offset, range.count});
    } else {
        add_segment({range.offset, range.count});
    }
}

void LocalSort::add_segment(KeyRange range) {
    if (range.offset < piece_end_) {
        segments_[batch_of(range.count)].push_back(range);
    } else {
        later_.emplace_back(batch_of(range.count), range);
    }
}

void LocalSort::take_next_piece() {
    auto const offset_of = [](auto const& each) { return each.second.offset; };
    piece_end_ = std::ranges::min(later_ | std::views::transform(offset_of)) + piece_keys_;
    std::erase_if(later_, [&](auto const& each) {
        bool const is_next = each.second.offset < piece_end_;
        if (is_next) {
            segments_[each.first].push_back(each.second);
        }
        return is_next;
    });
}

std::uint64_t LocalSort::sorted_end() const {
    std::uint64_t end = end_;
    auto const leave = [&end](auto const& pending) { end = std::min(end, pending.offset); };
    std::ranges::for_each(in_order_, leave);
    std::ranges::for_each(leaf_ranges_, leave);
    for (ArrivedSegment const& segment : arrived_) {
        end = std::min(end, segment.begin);
    }
    for (auto const& [batch, ranges] : segments_) {
        std::ranges::for_each(ranges, leave);
    }
    for (auto const& [batch, range] : later_) {
        leave(range);
    }
    return end;
}

/// Each level moves its segments to the other buffer.
std::size_t LocalSort::buffer_of(int level) const {
    return static_cast<std::size_t>((first_buffer_ + level) % 2);
}

void LocalSort::queue_batch() {
    KEYSWAP_EXPECTS(!is_done());
    DeviceScope const scope{gpu_.device};
    batch_has_kinds_ = false;
    if (!in_order_.empty()) {
        copy_large(std::exchange(in_order_, {}));
    } else if (!leaf_ranges_.empty()) {
        queue_leaf_ranges();
    } else if (!arrived_.empty()) {
        queue_arrived();
    } else {
        if (segments_.empty()) {
            take_next_piece();
        }
        queue_segments();
    }
    if (!batch_has_kinds_) {
        memory_.batch_known.record(gpu_.stream);
    }
}

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
    auto const upload = [this](auto* destination, auto const& source) {
        // From memory that is not pinned: the copy has left it when the call returns.
        KEYSWAP_CUDA(cudaMemcpyAsync(destination,
                                     source.data(),
                                     source.size() * sizeof(source.front()),
                                     cudaMemcpyHostToDevice,
                                     gpu_.stream));
    };
    upload(memory_.counts.data(), counts);
    upload(memory_.cursors.data(), ends);
    upload(memory_.one_value.data(), one_value);
    queue_kinds(count, ChildCursors::at_ends);
    leaf_ranges_.erase(leaf_ranges_.begin(),
                       leaf_ranges_.begin() + static_cast<std::ptrdiff_t>(count));
}

/// The segments that have as many bits left as the next one, by one digit of them.
void LocalSort::queue_arrived() {
    int const end = arrived_.front().end_bit;
    std::uint32_t const tile = label_tile_keys(context_.shape);
    SegmentParts places{memory_, 0, tile};
    SegmentParts parts{memory_, memory_.sizes.segments + memory_.sizes.large, tile};
    std::uint32_t count = 0;
    std::uint64_t largest = 0;
    for (ArrivedSegment const& segment : arrived_) {
        if (segment.end_bit != end || count == memory_.sizes.segments) {
            break;
        }
        places.add(segment.begin, segment.count);
        for (ArrivedPart const& part : segment.parts) {
            parts.add_part(part, segment.begin, count);
        }
        largest = std::max(largest, segment.count);
        ++count;
    }
    arrived_ = arrived_.subspan(count);
    places.upload_parts(gpu_.stream);
    parts.upload(gpu_.stream);
    // Those of one value and those of a leaf's size are brought together by one bit.
    std::uint32_t const leaf = leaf_max(context_.shape.key_bytes);
    int const bits = largest > leaf ? bits_of_level(largest, leaf) : 1;
    BitWindow const window{std::max(0, end - bits), std::max(1, end)};
    batch_level_ = 1;
    batch_end_ = window.begin;
    divide_by_digits(places.data(), parts.tiles(), buffer_of(0), window);
}

/// Where a distribution has tails, each level's segments are of many sizes, and a batch takes some
/// 70 us however few keys it has.
void LocalSort::join_narrower_digits() {
    constexpr int joined_bits = 3; // of leaves of an eighth of the usual size
    auto const first = segments_.begin();
    Batch const batch = first->first;
    auto next = std::next(first);
    while (next != segments_.end() && next->first.level == batch.level &&
           next->first.window.end == batch.window.end &&
           next->first.window.begin <= batch.window.begin + joined_bits) {
        first->second.insert(first->second.end(), next->second.begin(), next->second.end());
        next = segments_.erase(next);
    }
}

void LocalSort::queue_segments() {
    join_narrower_digits();
    auto const first = segments_.begin();
    Batch const batch = first->first;
    std::vector<KeyRange>& ranges = first->second;
    KEYSWAP_EXPECTS(batch.level < levels_max);
    bool const is_published = levels_.method == LevelMethod::splitters_published;
    SegmentParts parts{
        memory_, 0, is_published ? direct_tile_keys : label_tile_keys(context_.shape)};
    std::span<SplitSegment> const host_segments = memory_.host_segments.span();
    std::size_t const count = std::min(host_segments.size(), ranges.size());
    for (std::size_t i = 0; i < count; ++i) {
        KeyRange const range = ranges[i];
        parts.add(range.offset, range.count);
        host_segments[i] = {range.offset,
                            range.count,
                            is_published ? direct_ways
                                         : local_ways(range.count, leaf_sizes_.back())};
    }
    ranges.erase(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(count));
    if (ranges.empty()) {
        segments_.erase(first);
    }
    parts.upload(gpu_.stream);
    batch_level_ = batch.level + 1;
    batch_end_ = batch.window.begin;
    std::size_t const from = buffer_of(batch.level);
    switch (levels_.method) {
    case LevelMethod::splitters:
        divide_by_splitters(parts, count, from);
        break;
    case LevelMethod::splitters_published:
        divide_as_published(parts, count, from);
        break;
    case LevelMethod::digits:
        divide_by_digits(parts.data(), parts.tiles(), from, batch.window);
        break;
    }
}

/// Divides the batch's segments by their next digit.
/// \param segments where each goes, on the device \param tiles of them as they lie
void LocalSort::divide_by_digits(SegmentPart const* segments,
                                 LabelTiles const& tiles,
                                 std::size_t from,
                                 BitWindow window) {
    KEYSWAP_EXPECTS(window.end > window.begin);
    int const digit_bits = window.end - window.begin > step_bits ? wide_step_bits : step_bits;
    launch_segment_bins(gpu_.stream,
                        context_.shape.key_bytes,
                        gpu_.buffers.keys[from],
                        tiles.tiles,
                        tiles.tile_count,
                        tiles.segment_count,
                        window,
                        digit_bits,
                        memory_.bins.data());
    DigitStep step;
    step.keys_in = gpu_.buffers.keys[from];
    step.keys_out = gpu_.buffers.keys[1 - from];
    step.values_in = gpu_.buffers.values[from];
    step.values_out = gpu_.buffers.values[1 - from];
    step.tiles = tiles.tiles;
    step.tile_count = tiles.tile_count;
    step.bins = memory_.bins.data();
    step.bins_stride = 1U << digit_bits;
    step.scratch = memory_.taken.data();
    step.segment_count = tiles.segment_count;
    step.shift = window.begin;
    step.bits = window.end - window.begin;
    launch_unstable_step(gpu_.stream, context_.shape, step);
    if (levels_.counting && window.begin == counting_bits) {
        CountingSort sort;
        sort.keys_in = static_cast<std::uint32_t const*>(gpu_.buffers.keys[1 - from]);
        sort.keys_out = static_cast<std::uint32_t*>(gpu_.buffers.keys[from]);
        sort.segments = segments;
        sort.segment_count = tiles.segment_count;
        sort.bins = memory_.bins.data();
        sort.decode = context_.code;
        launch_counting_sort(gpu_.stream, sort);
        return;
    }
    DigitChildren children;
    children.parts = segments;
    children.bins = memory_.bins.data();
    children.digit_bits = digit_bits;
    children.one_value = window.begin == 0;
    children.counts = memory_.counts.data();
    children.ends = memory_.cursors.data();
    children.one_values = memory_.one_value.data();
    launch_digit_children(gpu_.stream, children, tiles.segment_count);
    queue_kinds(std::size_t{tiles.segment_count} << digit_bits, ChildCursors::at_ends);
}

/// Splitters are drawn from each of the batch's segments.
void LocalSort::queue_trees(std::size_t count, std::size_t from, TreeShape const& shape) {
    KEYSWAP_CUDA(cudaMemcpyAsync(memory_.segments.data(),
                                 memory_.host_segments.data(),
                                 count * sizeof(SplitSegment),
                                 cudaMemcpyHostToDevice,
                                 gpu_.stream));
    launch_segment_trees(gpu_.stream,
                         context_.shape.key_bytes,
                         gpu_.buffers.keys[from],
                         memory_.segments.data(),
                         static_cast<std::uint32_t>(count),
                         shape,
                         memory_.trees.data(),
                         memory_.one_value.data());
}

/// Divides the batch's segments, each into as many as it needs.
void LocalSort::divide_by_splitters(SegmentParts const& parts,
                                    std::size_t count,
                                    std::size_t from) {
    TreeShape shape;
    shape.ways_max =
        std::ranges::max(memory_.host_segments.span().first(count), {}, &SplitSegment::ways).ways;
    queue_trees(count, from, shape);
    LabelTiles const tiles = parts.tiles();
    void* const keys = gpu_.buffers.keys[from];
    launch_labels(gpu_.stream,
                  context_.shape.key_bytes,
                  keys,
                  tiles,
                  memory_.trees.data(),
                  memory_.labels.data(),
                  memory_.counts.data());
    launch_cursors(gpu_.stream, parts.data(), tiles, memory_.counts.data(), memory_.cursors.data());
    // The host queues what follows while the keys move.
    queue_kinds(count * tree_words, ChildCursors::at_begins);
    launch_label_move(gpu_.stream,
                      context_.shape,
                      tiles,
                      {keys,
                       gpu_.buffers.keys[1 - from],
                       gpu_.buffers.values[from],
                       gpu_.buffers.values[1 - from],
                       memory_.labels.data(),
                       memory_.cursors.data()});
}

/// Divides the batch's segments, each into 128.
void LocalSort::divide_as_published(SegmentParts const& parts,
                                    std::size_t count,
                                    std::size_t from) {
    int const key_bytes = context_.shape.key_bytes;
    queue_trees(count, from, direct_tree_shape(key_bytes));
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
    launch_direct_scatter(gpu_.stream,
                          context_.shape,
                          tiles,
                          {gpu_.buffers.keys[from],
                           gpu_.buffers.keys[1 - from],
                           gpu_.buffers.values[from],
                           gpu_.buffers.values[1 - from]});
}

/// The batch of a child of the queued one.
LocalSort::Batch LocalSort::batch_of(std::uint64_t count) const {
    if (levels_.method != LevelMethod::digits) {
        return {batch_level_, {}};
    }
    int const bits =
        levels_.counting && batch_level_ < 2
            ? (batch_level_ == 0 ? counted_levels_bits - wide_step_bits : wide_step_bits)
            : bits_of_level(count, leaf_sizes_.back());
    bool const reads_again = has_fault(DeviceFault::level_reads_digit_again) && batch_level_ > 0;
    int const end = reads_again ? batch_end_ + bits : batch_end_;
    return {batch_level_, {std::max(0, end - bits), end}};
}

void LocalSort::queue_kinds(std::size_t children, ChildCursors at) {
    memory_.queue_kinds(gpu_.stream, leaf_sizes_, children, at);
    memory_.batch_known.record(gpu_.stream);
    batch_has_kinds_ = true;
}

void LocalSort::await_batch() {
    DeviceScope const scope{gpu_.device};
    KEYSWAP_CUDA(cudaEventSynchronize(memory_.batch_known.get()));
    if (!batch_has_kinds_) {
        return;
    }
    sort_leaves();
    std::vector<KeyRange> in_order;
    for (LargeChild const& child : memory_.large.span().first(memory_.host_kinds.data()->large)) {
        KeyRange const range{child.begin, child.count};
        if (child.is_one_value) {
            in_order.push_back(range);
        } else {
            add_segment(range);
        }
    }
    copy_large(in_order);
}

/// Queues the leaves among the batch's children, classes side by side.
void LocalSort::sort_leaves() {
    ChildKinds const& kinds = *memory_.host_kinds.data();
    if (std::ranges::all_of(kinds.leaves, [](std::uint32_t leaves) { return leaves == 0; })) {
        return;
    }
    bool const reads_other = has_fault(DeviceFault::level_from_other_buffer) && batch_level_ > 0;
    std::size_t const from = buffer_of(reads_other ? batch_level_ - 1 : batch_level_);
    std::size_t const to = buffer_of(1);
    if (levels_.method == LevelMethod::splitters_published) {
        sort_leaves_as_published(kinds, from, to);
        return;
    }
    SideStreams const& side = memory_.side;
    std::array const streams{gpu_.stream, side.streams[0].get(), side.streams[1].get()};
    side.begin.record(gpu_.stream);
    for (Stream const& stream : side.streams) {
        side.begin.make_wait(stream.get());
    }
    launch_leaf_sorts(streams,
                      context_.shape,
                      memory_.table(),
                      kinds,
                      {gpu_.buffers.keys[from],
                       gpu_.buffers.keys[to],
                       gpu_.buffers.values[from],
                       gpu_.buffers.values[to],
                       context_.code});
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

/// Takes ranges that are in order to the result, as keys.
void LocalSort::copy_large(std::vector<KeyRange> const& ranges) {
    std::size_t const from = buffer_of(batch_level_);
    std::size_t const to = buffer_of(1);
    bool const is_there = from == to && context_.code.is_identity();
    if (ranges.empty() || is_there) {
        return;
    }
    SegmentParts parts{memory_, memory_.sizes.segments, label_tile_keys(context_.shape)};
    for (KeyRange const& range : ranges) {
        parts.add(range.offset, range.count);
    }
    parts.upload(gpu_.stream);
    launch_decoding_copy(gpu_.stream,
                         context_.shape,
                         parts.tiles(),
                         {gpu_.buffers.keys[from],
                          gpu_.buffers.keys[to],
                          gpu_.buffers.values[from],
                          gpu_.buffers.values[to],
                          nullptr,
                          nullptr},
                         context_.code);
}

} // namespace keyswap::kernels
