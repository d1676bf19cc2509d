#include "model/partition/methods/method_positions.hpp"

#include "model/partition/partition_positions.hpp"

#include <algorithm>
#include <array>

namespace keyswap::model::multisplit_steps {

namespace {

constexpr std::uint32_t warp_windows = 4; ///< windows in a warp's tile; GPU Multisplit's WMS
constexpr std::uint32_t intel_tile_keys = 4 * 32 * 13; ///< Satish et al.: 4 warps, 13 keys a thread

/// Final positions of a method that first reorders each tile by bucket: place s in the reordered
/// tile maps to the scanned table's entry plus s minus the start of the key's bucket within the
/// tile.
template <class PlaceInTile>
Positions through_tiles(Labels labels,
                        std::uint32_t buckets,
                        std::size_t tile_keys,
                        PlaceInTile const& place_in_tile) {
    Positions const table = scanned_table(labels, buckets, tile_keys);
    std::size_t const tiles = (labels.size() + tile_keys - 1) / tile_keys;
    Positions positions(labels.size());
    for (std::size_t tile = 0; tile < tiles; ++tile) {
        std::size_t const begin = tile * tile_keys;
        Labels const part = labels.subspan(begin, std::min(tile_keys, labels.size() - begin));
        Positions const starts = exclusive_sums(bucket_counts(part, buckets));
        Positions const places = place_in_tile(part, buckets);
        for (std::size_t i = 0; i < part.size(); ++i) {
            positions[begin + i] = table[part[i] * tiles + tile] + places[i] - starts[part[i]];
        }
    }
    return positions;
}

} // namespace

std::uint32_t no_table(std::uint32_t /*buckets*/) {
    return 0;
}

std::uint32_t one_window(std::uint32_t /*buckets*/) {
    return warp_keys;
}

std::uint32_t one_warp(std::uint32_t /*buckets*/) {
    return warp_keys * warp_windows;
}

std::uint32_t one_intel_tile(std::uint32_t /*buckets*/) {
    return intel_tile_keys;
}

/// GPU Multisplit, section 5: 4 warps of 7 windows up to 32 buckets, else 8 warps of 4.
std::uint32_t one_block(std::uint32_t buckets) {
    return buckets <= 32 ? 4 * 7 * warp_keys : 8 * 4 * warp_keys;
}

Positions direct(Labels labels, std::uint32_t buckets) {
    std::size_t const tiles = (labels.size() + warp_keys - 1) / warp_keys;
    Positions const table = scanned_table(labels, buckets, warp_keys);
    Positions positions(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        // A warp's ballots: the number of earlier lanes in the same bucket.
        std::size_t const window = i / warp_keys * warp_keys;
        auto const earlier = std::ranges::count(labels.subspan(window, i - window), labels[i]);
        positions[i] =
            table[labels[i] * tiles + i / warp_keys] + static_cast<std::uint64_t>(earlier);
    }
    return positions;
}

Positions by_warp_tiles(Labels labels, std::uint32_t buckets) {
    return through_tiles(labels, buckets, one_warp(buckets), [](Labels tile, std::uint32_t m) {
        std::array<std::size_t, 1> const sizes{warp_keys};
        return partition_positions_by_levels(tile, m, sizes);
    });
}

Positions by_block_tiles(Labels labels, std::uint32_t buckets) {
    return through_tiles(labels, buckets, one_block(buckets), [](Labels tile, std::uint32_t m) {
        std::size_t const warp = std::size_t{warp_keys} * (m <= 32 ? 7 : 4);
        std::array<std::size_t, 2> const sizes{warp, warp_keys};
        return partition_positions_by_levels(tile, m, sizes);
    });
}

Positions by_bit_splits(Labels labels, std::uint32_t buckets) {
    return through_tiles(labels, buckets, intel_tile_keys, by_recursive_split);
}

} // namespace keyswap::model::multisplit_steps
