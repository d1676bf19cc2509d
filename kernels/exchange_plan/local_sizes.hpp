#pragma once

/// \file How much memory the sort of a GPU's own ranges takes. Plain C++; the simulator uses it
/// too.

#include "kernels/exchange_plan/segment_levels.hpp"
#include "kernels/primitives/steps/search_tree.hpp"
#include "kernels/primitives/steps/tile_sizes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// What divides segments.
enum class LocalRule {
    splitters,           ///< drawn from a segment's keys, so that skew costs nothing
    splitters_published, ///< the same, carried out as sample sort was published
    digits,              ///< from the highest bits on
    digits_or_splitters  ///< each sort takes one of them
};
[[nodiscard]] constexpr bool has_digits(LocalRule rule) {
    return rule == LocalRule::digits || rule == LocalRule::digits_or_splitters;
}
[[nodiscard]] constexpr bool has_splitters(LocalRule rule) {
    return rule != LocalRule::digits;
}

/// What the row's sorts need.
[[nodiscard]] constexpr LocalRule rule_of(DigitRow const& row) {
    return row.crowded == CrowdedSort::splitters ? LocalRule::digits_or_splitters
                                                 : LocalRule::digits;
}

/// A sort of a GPU's own ranges, as far as its memory depends on it.
struct LocalSpec {
    LocalRule rule = LocalRule::splitters;
    ElementShape shape;
    Stability ties = Stability::unstable;
    std::size_t gpu_count = 1;
    std::uint64_t capacity = 0; ///< keys of a GPU, at most
    std::optional<std::uint32_t> leaf_max{};
};

/// Keys of a tile of a step by labels, and of a stable one by the widest digit.
struct LocalTiles {
    std::uint32_t label = 0;
    std::uint32_t stable = 0;
};
[[nodiscard]] constexpr LocalTiles local_tiles(ElementShape shape) {
    return {label_block(shape).size(), stable_block(shape, wide_step_bits).size()};
}

/// Segments of one launch, tiles and large children that a GPU needs at most.
struct LocalSizes {
    LocalRule rule = LocalRule::splitters;
    std::size_t segments = 0;
    std::size_t tiles = 0;
    std::size_t direct_tiles = 0; ///< of steps as published; 0 of others
    std::size_t large = 0;        ///< children above a leaf's size
    /// Parts in which the segments of a launch may have come from several GPUs.
    std::size_t arrived = 0;
    std::size_t stretches = 0; ///< that a launch can count; 0 where values are not counted

    [[nodiscard]] std::size_t children_a_segment() const {
        return has_digits(rule) ? std::size_t{1} << wide_step_bits : tree_words;
    }
    /// Children of all segments of a launch.
    [[nodiscard]] std::size_t children() const { return segments * children_a_segment(); }
    // Parts that wait to be uploaded do not share their places: where segments go, ranges that are
    // copied, ranges that a block counts, and what has arrived or is counted by many blocks.
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
/// Whatever the capacity: room for the buckets that passes across GPUs leave on one.
inline constexpr std::uint64_t local_segments_least = 256;
[[nodiscard]] LocalSizes local_sizes(LocalSpec const& spec, LocalTiles const& tiles);

/// Bytes of a part, a tile and a segment between splitters on the device, as their structs have
/// (local/local_memory.cpp).
inline constexpr std::size_t part_bytes = 48;
inline constexpr std::size_t tile_bytes = 40;
inline constexpr std::size_t split_segment_bytes = 32;

/// Device memory of a sort.
struct LocalBytes {
    std::size_t own = 0;
    std::size_t temporary = 0; ///< look-back words, which share memory with CUB's sort
};
/// Without the counts of direct tiles.
[[nodiscard]] LocalBytes
local_bytes(LocalSpec const& spec, LocalSizes const& sizes, LocalTiles const& tiles);

} // namespace keyswap::kernels
