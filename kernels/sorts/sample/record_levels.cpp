#include "kernels/sorts/sample/record_levels.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/segment_levels.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace keyswap::kernels {

namespace {

/// A level shrinks segments a hundredfold in general. Only a comparator that is not a strict weak
/// order needs as many levels.
constexpr int levels_max = 64;

/// Memory sizes for a given number of records.
struct LevelSizes {
    std::size_t large = 0;    ///< children larger than a leaf
    std::size_t segments = 0; ///< per launch
    std::size_t whole_tiles = 0;
};

LevelSizes sizes_of(RecordShape const& shape, std::uint64_t count) {
    LevelSizes sizes;
    sizes.large = static_cast<std::size_t>(count / shape.leaf_max()) + 1;
    sizes.segments =
        static_cast<std::size_t>(std::min<std::uint64_t>(sizes.large, launch_segments_max));
    sizes.whole_tiles = static_cast<std::size_t>(count / shape.tile_size);
    return sizes;
}

/// The array that holds a level's records.
RecordArray array_of(int level) {
    return level % 2 == 0 ? RecordArray::given : RecordArray::spare;
}

SortError no_order_error(std::uint64_t records) {
    return {SortErrorCode::invalid_option,
            "the comparator is not a strict weak order: " + std::to_string(records) +
                " records were still together after " + std::to_string(levels_max) +
                " levels (is less(a, a) false, and does less(a, b) rule out less(b, a)?)",
            InputState::lost};
}

} // namespace

RecordLevels::RecordLevels(int device, RecordShape const& shape, std::uint64_t count_max)
    : device_(device), shape_(shape), count_max_(count_max) {
    LevelSizes const sizes = sizes_of(shape, count_max);
    // Each segment or copied range may end in a partial tile.
    parts_ =
        make_part_memory(device, sizes.segments + sizes.large, sizes.whole_tiles + sizes.large);
    children_ = make_child_memory(device, sizes.segments * tree_words, sizes.large);
    segments_ = DeviceBuffer<SplitSegment>{device, sizes.segments};
    host_segments_ = PinnedBuffer<SplitSegment>{sizes.segments};
    labels_ =
        DeviceBuffer<std::uint8_t>{device, (sizes.whole_tiles + sizes.segments) * shape.tile_size};
}

SortExpected<void>
RecordLevels::sort(RecordSteps const& steps, std::uint64_t count, cudaStream_t stream) {
    KEYSWAP_EXPECTS(count <= count_max_);
    try {
        DeviceScope const scope{device_};
        auto const undivided = sort_levels(steps, count, stream);
        wait_for(stream);
        if (undivided) {
            return tl::unexpected(no_order_error(*undivided));
        }
        return {};
    } catch (CudaFailure const& failure) {
        static_cast<void>(cudaStreamSynchronize(stream));
        return tl::unexpected(error_of(failure, InputState::lost));
    }
}

std::optional<std::uint64_t> RecordLevels::sort_levels(RecordSteps const& steps,
                                                       std::uint64_t count,
                                                       cudaStream_t stream) const {
    if (count == 0) {
        return std::nullopt;
    }
    Pending pending;
    if (count <= shape_.leaf_max()) {
        queue_whole(count, stream);
        finish_children(steps, 0, pending, stream);
        return std::nullopt;
    }
    pending[0].push_back({0, count});
    while (!pending.empty()) {
        auto const first = pending.begin();
        int const level = first->first;
        std::vector<KeyRange>& waiting = first->second;
        if (level == levels_max) {
            return waiting.front().count;
        }
        auto const end = waiting.begin() +
                         static_cast<std::ptrdiff_t>(std::min(segments_.size(), waiting.size()));
        std::vector<KeyRange> const batch(waiting.begin(), end);
        waiting.erase(waiting.begin(), end);
        if (waiting.empty()) {
            pending.erase(first);
        }
        divide(steps, level, batch, stream);
        finish_children(steps, level + 1, pending, stream);
    }
    return std::nullopt;
}

/// Sets up the whole input as the only child.
void RecordLevels::queue_whole(std::uint64_t count, cudaStream_t stream) const {
    copy_array(stream, children_.counts.data(), &count, 1);
    copy_array(stream, children_.cursors.data(), &count, 1);
    clear_array(stream, children_.one_value.data(), 1);
    children_.queue_kinds(stream, shape_.leaf_sizes, 1);
}

void RecordLevels::divide(RecordSteps const& steps,
                          int level,
                          std::vector<KeyRange> const& segments,
                          cudaStream_t stream) const {
    RecordArray const from = array_of(level);
    SegmentParts parts{parts_, 0, shape_.tile_size};
    auto next = host_segments_.span().begin();
    for (KeyRange const& segment : segments) {
        parts.add(segment.offset, segment.count);
        *next++ = {segment.offset, segment.count, local_ways(segment.count, shape_.leaf_max())};
    }
    parts.upload(stream);
    copy_array(stream, segments_.data(), host_segments_.data(), segments.size());
    LabelTiles const tiles = parts.tiles();
    steps.make_trees(
        stream, from, segments_.data(), tiles.segment_count, children_.one_value.data());
    std::size_t const children = segments.size() * tree_words;
    clear_array(stream, children_.counts.data(), children);
    steps.label(stream, from, tiles, labels_.data(), children_.counts.data());
    launch_cursors(stream, parts.data(), tiles, children_.counts.data(), children_.cursors.data());
    steps.move(stream, from, tiles, labels_.data(), children_.cursors.data());
    children_.queue_kinds(stream, shape_.leaf_sizes, children);
}

/// Waits for the children's kinds, sorts leaves, and adds larger children to `pending`.
/// \param level of the children
void RecordLevels::finish_children(RecordSteps const& steps,
                                   int level,
                                   Pending& pending,
                                   cudaStream_t stream) const {
    wait_for(stream);
    ChildKinds const kinds = *children_.host_kinds.data();
    RecordArray const from = array_of(level);
    steps.sort_leaves(stream, from, children_.table(), kinds);
    SegmentParts copies{parts_, segments_.size(), shape_.tile_size};
    for (LargeChild const& child : children_.large.span().first(kinds.large)) {
        if (!child.is_one_value) {
            pending[level].push_back({child.begin, child.count});
        } else if (from == RecordArray::spare) {
            copies.add(child.begin, child.count);
        }
    }
    copies.upload(stream);
    steps.copy_back(stream, copies.tiles());
}

} // namespace keyswap::kernels
