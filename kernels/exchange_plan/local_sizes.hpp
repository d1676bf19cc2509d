#pragma once

/// \file Memory that a sort of a GPU's own ranges needs. Plain C++; the simulator includes it
/// too.

#include "kernels/exchange_plan/segment_levels.hpp"
#include "kernels/primitives/steps/search_tree.hpp"
#include "kernels/primitives/steps/tile_sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// How segments are divided.
enum class LocalRule {
    splitters,           ///< sampled from a segment's keys, hence robust to skew
    splitters_published, ///< the same, implemented as the sample-sort paper published it
    digits,              ///< MSD digits
    digits_or_splitters  ///< each sort uses either
};
[[nodiscard]] constexpr bool has_digits(LocalRule rule) {
    return rule == LocalRule::digits || rule == LocalRule::digits_or_splitters;
}
[[nodiscard]] constexpr bool has_splitters(LocalRule rule) {
    return rule != LocalRule::digits;
}

/// The rule that covers every sort of the row.
[[nodiscard]] constexpr LocalRule rule_of(DigitRow const& row) {
    return row.crowded == CrowdedSort::splitters ? LocalRule::digits_or_splitters
                                                 : LocalRule::digits;
}

/// The properties of a local sort that determine its memory.
struct LocalSpec {
    LocalRule rule = LocalRule::splitters;
    ElementShape shape;
    Stability ties = Stability::unstable;
    std::size_t gpu_count = 1;
    std::uint64_t capacity = 0; ///< most keys of a GPU
    std::optional<std::uint32_t> leaf_max{};
    std::uint64_t leading_bytes_min = kernels::leading_bytes_min; ///< FastTuning's
};

/// Keys per tile: of a label step, and of a stable step by the widest digit.
struct LocalTiles {
    std::uint32_t label = 0;
    std::uint32_t stable = 0;
};
[[nodiscard]] constexpr LocalTiles local_tiles(ElementShape shape) {
    return {label_block(shape).size(), stable_block(shape, wide_step_bits).size()};
}

/// Upper bounds for one GPU and launch: segments, tiles and large children.
struct LocalSizes {
    LocalRule rule = LocalRule::splitters;
    std::size_t segments = 0;
    std::size_t tiles = 0;
    std::size_t direct_tiles = 0; ///< of steps as published; otherwise 0
    std::size_t large = 0;        ///< children larger than a leaf
    /// Parts of a launch's segments that arrived from several GPUs.
    std::size_t arrived = 0;
    std::size_t stretches = 0; ///< that one launch can count; 0 if values are never counted
    std::size_t leading = 0;   ///< counts by leading bits and their overflow; 0 if never counted

    [[nodiscard]] std::size_t children_per_segment() const {
        return has_digits(rule) ? std::size_t{1} << wide_step_bits : tree_words;
    }
    /// Children of all segments of a launch.
    [[nodiscard]] std::size_t children() const { return segments * children_per_segment(); }
    // Regions of the part list do not overlap, as uploads may be pending: destinations of segments,
    // ranges to copy, ranges that one block counts, and arrivals or ranges counted by many blocks.
    [[nodiscard]] static std::size_t places_begin() { return 0; }
    [[nodiscard]] std::size_t copied_begin() const { return segments; }
    [[nodiscard]] std::size_t counted_begin() const { return copied_begin() + large; }
    [[nodiscard]] std::size_t arrived_begin() const {
        return counted_begin() + (stretches == 0 ? 0 : large);
    }
    [[nodiscard]] std::size_t parts() const {
        return arrived_begin() + std::max(arrived, stretches);
    }
};
/// Lower bound for any capacity: room for the buckets of passes across GPUs that one GPU owns.
inline constexpr std::uint64_t local_segments_least = 256;
[[nodiscard]] LocalSizes local_sizes(LocalSpec const& spec, LocalTiles const& tiles);

/// Device bytes of a part, a tile and a segment divided by splitters: the sizes of their structs,
/// as local/local_memory.cpp asserts.
inline constexpr std::size_t part_bytes = 48;
inline constexpr std::size_t tile_bytes = 40;
inline constexpr std::size_t split_segment_bytes = 32;

/// Device memory per GPU that a sort needs in addition to its buffers, in bytes.
struct SortScratch {
    std::size_t temp_bytes = 0; ///< for its kernels; shared with CUB's radix sort
    std::size_t own_bytes = 0;
};
/// Memory of a local sort, except for the counters of direct tiles.
[[nodiscard]] SortScratch
local_bytes(LocalSpec const& spec, LocalSizes const& sizes, LocalTiles const& tiles);

} // namespace keyswap::kernels
