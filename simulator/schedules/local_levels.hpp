#pragma once

/// \file Into what the levels of a GPU's own sort divide its segments: by digits from the highest
/// on, or between splitters, until a block sorts or counts the rest. The first level has the digits
/// of the actual keys, as have those below it of a GPU alone where many keys crowd; all else is
/// spread evenly. The digits and ways are those of kernels/exchange_plan/segment_levels.hpp.

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

/// Bytes of what a sort moves.
[[nodiscard]] inline RecordBytes record_of(model::SortConfig const& config) {
    return {key_size_bytes(config.key_type), value_size_bytes(config.value_type)};
}

/// The row by which a GPU sorts; nullopt if CUB does.
[[nodiscard]] inline std::optional<kernels::DigitRow>
digit_row_of(model::SortConfig const& config) {
    return kernels::find_digit_row(shape_of(record_of(config)), config.ties());
}

/// Keys that a block sorts in shared memory, at most.
[[nodiscard]] constexpr std::uint32_t leaf_keys_of(RecordBytes record) {
    return kernels::leaf_max(static_cast<int>(record.key), static_cast<int>(record.value));
}

/// Into how many each level divides a segment between splitters, in bits of it.
[[nodiscard]] std::vector<int> splitter_levels(std::uint64_t segment_keys, RecordBytes record);

using kernels::digit_segments_max;
using kernels::launch_segments_max;
using kernels::launch_stretches_max;
using kernels::middle_stretch_keys;
using kernels::narrow_stretch_keys;

/// Keys of neighbouring images, to be sorted.
struct LocalSegment {
    model::ImageInterval images;
    std::uint64_t count = 0;
    int end_bit = 0; ///< below it keys differ; 0: they have one value
    /// Keys by their highest bits below end_bit, 9 of them or fewer; see count_children().
    std::vector<std::uint64_t> children;
};
/// Counts the children of all segments in one reading: those of a segment with many of the keys by
/// the widest digit, those of others by a few bits, between which they are spread evenly.
/// \pre segments ascend
void count_children(std::span<LocalSegment> segments, model::KeySource& keys);

/// A level of segments that are divided by a digit of one width, and what it leaves sorted.
struct DigitLevel {
    int bits = 0;
    std::uint64_t keys = 0;
    std::uint64_t segments = 0;
    BlockSpread spread; ///< of a tile of the step, on average
    std::uint64_t leaf_keys = 0;
    std::uint64_t one_value_keys = 0; ///< large children that are in order
};

/// Stretches of 32-bit keys that agree in all but 15 bits, whose values are counted.
struct CountedStretches {
    std::uint64_t keys = 0;
    std::uint64_t stretches = 0;
    std::uint64_t tiles = 0;
};

/// All of a sort by digits.
struct DigitLevels {
    std::uint64_t one_value_keys = 0; ///< in order before any level
    std::uint64_t leaf_keys = 0;      ///< segments that came as leaves
    std::vector<DigitLevel> levels;   ///< in the order in which they run
    CountedStretches narrow;          ///< whose counters have 16 bits: a block each
    CountedStretches middle;          ///< a block each as well, with counters of 32 bits
    CountedStretches wide;            ///< of which tiles are counted by many blocks
    CountedStretches arrived;         ///< likewise, before all levels
};

/// How segments lie.
enum class SegmentPlace {
    in_order, ///< where they belong
    dense,    ///< likewise: two digits divide all keys and what they leave is counted, unless the
              ///< first one leaves too many in a child
    arrived   ///< in parts, which a level has to bring together
};

/// \param order positional_order of the keys
/// \param keys whose later digits are counted where many have the first ones in common; nullptr:
///        what the first level leaves is spread evenly
/// \pre children are counted
[[nodiscard]] DigitLevels digit_levels(std::span<LocalSegment const> segments,
                                       SegmentPlace place,
                                       RecordBytes record,
                                       double order,
                                       model::KeySource* keys = nullptr);

/// A level of segments that are divided between splitters.
struct SplitterLevel {
    int bits = 0; ///< of the segments that have most keys
    std::uint64_t keys = 0;
    std::uint64_t segments = 0;
    HeavyKeys heavy; ///< of a segment
    std::uint64_t leaf_keys = 0;
};

/// [levels] of segments each of which is divided alone; those of one level go together.
[[nodiscard]] std::vector<SplitterLevel> splitter_levels(std::span<LocalSegment const> segments,
                                                         SegmentPlace place,
                                                         RecordBytes record,
                                                         KeySample const& sample);

/// Of digits that are spread evenly over a segment, within a block, as block_spread() has it.
[[nodiscard]] BlockSpread
even_spread(int bits, std::uint64_t segment_keys, double order, std::uint64_t block_keys);

} // namespace keyswap::simulator
