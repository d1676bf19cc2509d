#pragma once

/// \file One level of sample sort as published, on many segments at once: every tile counts its
/// keys by bucket, one prefix sum over all counts gives the destination of each tile's buckets, and
/// every tile writes its keys there. Tree searches are not stored but done twice, and keys are not
/// ordered within a tile, so writes are not coalesced. Not stable: positions within a tile are
/// assigned by atomics. Source: GPU Sample Sort (Leischner, Osipov, Sanders, IPDPS 2010), section
/// 4, phases 2 to 4, and its "Parameters".

#include "kernels/primitives/leaves/leaf_sort.hpp"
#include "kernels/primitives/steps/tile_sizes.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Trees of these levels: a = 30, less for wider keys, so that a k of them take 15 KiB.
[[nodiscard]] inline TreeShape direct_tree_shape(int key_bytes) {
    return {direct_ways, static_cast<std::uint32_t>(120 / key_bytes), direct_levels};
}

/// Entries of the count table of a launch.
[[nodiscard]] constexpr std::uint64_t direct_table_entries(std::uint64_t tile_count) {
    return tile_count * direct_ways;
}

/// Segments and their tiles, all in device memory.
struct DirectTiles {
    SortTile const* tiles = nullptr;    ///< [tile_count], of direct_tile_keys keys
    SegmentPart const* parts = nullptr; ///< [segment_count], one per segment
    std::uint32_t tile_count = 0;
    std::uint32_t segment_count = 0;
    void const* trees = nullptr; ///< [segment_count][direct_ways] words of a key
    /// [direct_table_entries(tile_count)], by segment, bucket and tile: first counts, then their
    /// exclusive prefix sums.
    std::uint32_t* table = nullptr;
};

/// Phase 2: fills the table with counts. \param keys images
void launch_direct_counts(cudaStream_t stream,
                          int key_bytes,
                          void const* keys,
                          DirectTiles const& tiles);

/// Computes the buckets' sizes and ends. \pre the table holds prefix sums
/// \param counts, ends [segment_count][direct_ways]
void launch_direct_children(cudaStream_t stream,
                            DirectTiles const& tiles,
                            std::uint64_t* counts,
                            std::uint64_t* ends);

/// Phase 4: scatters keys (images) and values; buckets have indices within their segment's range.
/// \pre the table holds prefix sums
void launch_direct_scatter(cudaStream_t stream,
                           ElementShape shape,
                           DirectTiles const& tiles,
                           MovedArrays const& arrays);

} // namespace keyswap::kernels
