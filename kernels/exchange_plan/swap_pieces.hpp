#pragma once

/// \file The pieces that one scatter of variant `fast` distinguishes if keys crowd: adjacent
/// small buckets of one GPU joined, large ones split as far as a digit tree has counted them.
/// Pieces have similar sizes, so that rounds are balanced and one level sorts most of them. Plain
/// C++.

#include "kernels/exchange_plan/digit_tree.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Images with a common bit prefix; one GPU owns all their keys, or they are of one cut bucket.
struct SwapPiece {
    FinalBucket keys; ///< as if it were a bucket; a cut bucket is a single piece
    std::size_t first_bucket = 0;
    std::size_t end_bucket = 0;
};

/// \param counts [g][tree.entries()] keys of each source by child of each node
/// \param buckets ascending; every bucket that a pass refined is a node of the tree
/// \param most pieces; returns none if the borders between GPUs alone require more
[[nodiscard]] std::vector<SwapPiece> swap_pieces(DigitTree const& tree,
                                                 std::span<std::uint64_t const> counts,
                                                 std::span<FinalBucket const> buckets,
                                                 std::size_t most);

/// True if a few children by the widest digit, within pieces, hold much of the sample: digit levels
/// would have to descend into them. \param sample images, ascending
[[nodiscard]] bool is_crowded(std::span<SwapPiece const> pieces,
                              std::span<std::uint64_t const> sample);

/// True if a sample shows with certainty that the first pass must refine a bucket: a border between
/// GPUs is further from both ends of a bucket than tolerance plus sampling error.
/// \param sample images, in any order \param tolerance share of all keys
[[nodiscard]] bool spans_border(std::span<std::uint64_t const> sample,
                                KeyShape shape,
                                std::uint32_t gpu_count,
                                double tolerance);

/// The pieces as final buckets.
[[nodiscard]] std::vector<FinalBucket> buckets_of(std::span<SwapPiece const> pieces);

/// Replaces piece indices in segments of one piece each by the indices of the pieces' buckets.
void assign_buckets(std::span<SwapSegment> segments, std::span<SwapPiece const> pieces);

/// Number of pieces for a scatter: 256, or up to 400 so that one level divides each into leaves.
/// More pieces would shorten the runs that a tile writes. \param leaf largest leaf
[[nodiscard]] std::size_t swap_pieces_for(std::uint64_t key_count, std::uint32_t leaf);
/// swap_pieces_for() pieces, else as many as a scatter can distinguish; empty if these are too few.
[[nodiscard]] std::vector<SwapPiece> scatter_pieces(DigitTree const& tree,
                                                    std::span<std::uint64_t const> counts,
                                                    std::span<FinalBucket const> buckets,
                                                    std::uint64_t key_count,
                                                    std::uint32_t leaf);

/// Lookup table from a key to its label; see RangeLabels.
struct RangeTable {
    std::uint32_t labels = 0;
    std::uint32_t nodes = 1;
    std::vector<std::uint16_t> entries; ///< [nodes][2^digit_bits]
    int depth = 1;                      ///< digits on the longest path
};
/// \param labels ascending \param tree nodes that resolve most labels in few lookups
[[nodiscard]] RangeTable range_table(std::span<ScatterLabel const> labels, DigitTree const& tree);

} // namespace keyswap::kernels
