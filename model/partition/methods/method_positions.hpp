#pragma once

/// \file The steps of each multisplit method, as positions of keys: label i is the bucket of key i,
/// position i its place in the output. multisplit_method.cpp lists the methods.

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model::multisplit_steps {

using Labels = std::span<std::uint32_t const>; ///< [n], each below the number of buckets
using Positions = std::vector<std::uint64_t>;  ///< [n]

inline constexpr std::uint32_t warp_keys = 32;
inline constexpr std::uint32_t fused_tile_keys = 7680;

// Keys of a tile, whose histogram is one column of the scanned table; 0 = no table.
[[nodiscard]] std::uint32_t no_table(std::uint32_t buckets);
[[nodiscard]] std::uint32_t one_window(std::uint32_t buckets);
[[nodiscard]] std::uint32_t one_warp(std::uint32_t buckets);
[[nodiscard]] std::uint32_t one_block(std::uint32_t buckets);
[[nodiscard]] std::uint32_t one_intel_tile(std::uint32_t buckets);

// split_methods.cpp: rounds over all keys. Source: GPU Multisplit, sections 3.2 to 3.4.

/// A single prefix sum of flags gives both positions: zeros from the front, ones after them.
[[nodiscard]] Positions by_scan_split(Labels labels, std::uint32_t buckets);

/// m rounds; each compacts one bucket to the front of the remaining range.
[[nodiscard]] Positions by_iterative_split(Labels labels, std::uint32_t buckets);

/// ceil(log2 m) binary splits by the labels' bits, least significant first.
[[nodiscard]] Positions by_recursive_split(Labels labels, std::uint32_t buckets);

/// A radix sort of keys by label over ceil(log2 m) bits, 7 bits per pass as in CUB.
[[nodiscard]] Positions by_reduced_bit_sort(Labels labels, std::uint32_t buckets);

/// ceil(log2 m / bits_of_pass) stable passes over the labels' bits, least significant first.
[[nodiscard]] Positions by_label_passes(Labels labels, std::uint32_t buckets, int bits_of_pass);

// tiled_methods.cpp: histograms of tiles, one scan, one scatter. Source: GPU Multisplit, sections
// 4.4 to 4.7 and 5.

/// Direct multisplit: tiles are windows of one warp, which are not reordered.
[[nodiscard]] Positions direct(Labels labels, std::uint32_t buckets);

/// Warp-level multisplit: reorders the tile of a warp before the scatter.
[[nodiscard]] Positions by_warp_tiles(Labels labels, std::uint32_t buckets);

/// Block-level multisplit: reorders the tile of a block before the scatter.
[[nodiscard]] Positions by_block_tiles(Labels labels, std::uint32_t buckets);

/// Binary splits of a block's tile, which is then written through the scanned table. Source: Satish
/// et al., Fast Sort on CPUs, GPUs and Intel MIC Architectures, Intel report, 2010.
[[nodiscard]] Positions by_bit_splits(Labels labels, std::uint32_t buckets);

// one_pass_methods.cpp: each tile finds its place in the output while it runs.

/// A histogram, then tiles in order, each with decoupled look-back for its bases; for more than
/// 256 buckets, passes over the bytes of the labels.
[[nodiscard]] Positions fused(Labels labels, std::uint32_t buckets);

/// Tiles reserve space in their buckets in order of arrival, and rank their keys in arbitrary
/// order: here a fixed order that is neither that of the input nor its reverse.
[[nodiscard]] Positions atomic(Labels labels, std::uint32_t buckets);

/// Two buckets: a ballot per window and a look-back word with both counts.
[[nodiscard]] Positions split_in_one_pass(Labels labels, std::uint32_t buckets);

} // namespace keyswap::model::multisplit_steps
