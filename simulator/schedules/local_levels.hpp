#pragma once

/// \file Levels of a GPU's own sort: each divides segments by a digit, from the highest down, or
/// between splitters, until one block sorts or counts the rest. The first level uses counted
/// digits, as do lower levels of large segments if the GPU sorts alone; other levels assume evenly
/// spread digits. Digits and ways are those of kernels/exchange_plan/segment_levels.hpp.

#include "kernels/exchange_plan/segment_levels.hpp"
#include "model/keys/key_source.hpp"
#include "model/plan/sort_config.hpp"
#include "simulator/cost/cost_model.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/crowding.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// Widths of the elements of a sort.
[[nodiscard]] inline RecordBytes record_of(model::SortConfig const& config) {
    return {key_size_bytes(config.key_type), value_size_bytes(config.value_type)};
}

/// The row that selects a GPU's own sort; nullopt if CUB sorts.
[[nodiscard]] inline std::optional<kernels::DigitRow>
digit_row_of(model::SortConfig const& config) {
    return kernels::find_digit_row(shape_of(record_of(config)), config.ties());
}

/// Most keys that a block sorts in shared memory.
[[nodiscard]] constexpr std::uint32_t leaf_keys_of(RecordBytes record) {
    return kernels::leaf_max(static_cast<int>(record.key), static_cast<int>(record.value));
}

/// log2 of the ways into which each level between splitters divides a segment: [levels].
[[nodiscard]] std::vector<int> splitter_levels(std::uint64_t segment_keys, RecordBytes record);

using kernels::digit_segments_max;
using kernels::launch_segments_max;
using kernels::launch_stretches_max;
using kernels::narrow_stretch_keys;

/// Keys of an interval of images, to be sorted.
struct LocalSegment {
    model::ImageInterval images;
    std::uint64_t count = 0;
    int end_bit = 0; ///< bits below it may differ; 0: all keys are equal
    /// Keys by their highest bits below end_bit, at most 9; see count_children().
    std::vector<std::uint64_t> children;
};
/// Counts the children of all segments in one reading: by the widest digit for segments with many
/// of the keys, by a few bits for others, assuming they are even in between.
/// \pre segments ascend
void count_children(std::span<LocalSegment> segments, model::KeySource& keys);

/// One level of division by a digit of one width, and the keys it leaves sorted.
struct DigitLevel {
    int bits = 0;
    std::uint64_t keys = 0;
    std::uint64_t segments = 0;
    BlockSpread spread; ///< of a tile, averaged over the keys
    std::uint64_t leaf_keys = 0;
    std::uint64_t one_value_keys = 0; ///< in large children with a single value
};

/// Stretches of 32-bit keys that differ only in 15 bits and are sorted by counting.
struct CountedStretches {
    std::uint64_t keys = 0;
    std::uint64_t stretches = 0;
    std::uint64_t tiles = 0;
};

/// Work of a complete sort by digits.
struct DigitLevels {
    std::uint64_t one_value_keys = 0; ///< sorted before any level
    std::uint64_t leaf_keys = 0;      ///< of segments that are leaves from the start
    std::vector<DigitLevel> levels;   ///< in order of execution
    /// Levels that end within so many bits need not read the keys, as their leading bits are
    /// counted, with the exception of a first level that counts them.
    int known_bits = 0;
    bool first_counts = true;
    CountedStretches narrow;  ///< a block each, counters of 16 bits
    CountedStretches middle;  ///< a block each, counters of 32 bits
    CountedStretches tiled;   ///< many blocks each, a tile at a time
    CountedStretches arrived; ///< likewise, before all levels
};

/// Where the keys of segments are.
enum class SegmentPlace {
    in_order, ///< contiguous, in their final place
    dense,    ///< likewise; two digits divide all keys and the rest is counted, unless the first
              ///< digit leaves too many in one child
    crowded,  ///< likewise; the first digit is wide enough to count keys after two
    arrived   ///< in parts, which a level must bring together
};

/// \param order positional_order() of the keys
/// \param keys source for counting later digits of children that hold many of the keys; nullptr:
/// even digits below the first level
/// \pre children of the segments are counted
[[nodiscard]] DigitLevels digit_levels(std::span<LocalSegment const> segments,
                                       SegmentPlace place,
                                       RecordBytes record,
                                       double order,
                                       model::KeySource* keys = nullptr);

/// One level of division between splitters.
struct SplitterLevel {
    int bits = 0; ///< of the largest segments
    std::uint64_t keys = 0;
    std::uint64_t segments = 0;
    HeavyKeys heavy; ///< summed over the segments
    std::uint64_t leaf_keys = 0;
};

/// [levels] of segments that are divided separately; equal levels of all segments run together.
[[nodiscard]] std::vector<SplitterLevel> splitter_levels(std::span<LocalSegment const> segments,
                                                         SegmentPlace place,
                                                         RecordBytes record,
                                                         KeySample const& sample);

/// Spread within a block of digits that are even over a segment, as in block_spread().
[[nodiscard]] BlockSpread
even_spread(int bits, std::uint64_t segment_keys, double order, std::uint64_t block_keys);

} // namespace keyswap::simulator
