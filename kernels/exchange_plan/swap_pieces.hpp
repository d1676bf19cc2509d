#pragma once

/// \file What one scatter of variant `fast` distinguishes where keys crowd: neighbouring buckets of
/// one GPU with few keys as one, and one with many in parts, as far as a digit tree has counted
/// them. All have about as many keys, so that rounds are even and one level sorts most of them.
/// Plain C++.

#include "kernels/exchange_plan/digit_tree.hpp"
#include "kernels/exchange_plan/swap_segments.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Images that begin with the same bits, of one GPU or of one bucket.
struct SwapPiece {
    FinalBucket keys; ///< as of a bucket of its own; a cut bucket is one piece
    std::size_t first_bucket = 0;
    std::size_t end_bucket = 0;
};

/// \param counts [g][tree.entries()] keys of each source by child of each node
/// \param buckets ascending; the tree has every bucket that a pass refined
/// \param most pieces; none where borders between GPUs alone make more
[[nodiscard]] std::vector<SwapPiece> swap_pieces(DigitTree const& tree,
                                                 std::span<std::uint64_t const> counts,
                                                 std::span<FinalBucket const> buckets,
                                                 std::size_t most);

/// Whether much of a sample lies in few of the pieces' children of the widest digit: levels of
/// digits would have to follow them. \param sample images, ascending
[[nodiscard]] bool crowd_within(std::span<SwapPiece const> pieces,
                                std::span<std::uint64_t const> sample);

/// Whether a sample leaves no doubt that the first pass has a bucket to refine: a border between
/// GPUs lies deeper in one than the tolerance and chance.
/// \param sample images, in any order \param tolerance share of all keys
[[nodiscard]] bool spans_border(std::span<std::uint64_t const> sample,
                                KeyShape shape,
                                std::uint32_t gpu_count,
                                double tolerance);

/// As if they were buckets.
[[nodiscard]] std::vector<FinalBucket> buckets_of(std::span<SwapPiece const> pieces);

/// Segments of pieces, each of which is one, as segments of the buckets that they lie in.
void name_buckets(std::span<SwapSegment> segments, std::span<SwapPiece const> pieces);

/// Pieces that a scatter distinguishes: 256, or so many more that one level divides each into
/// leaves. More would be runs of fewer keys for each tile to write. \param leaf largest
[[nodiscard]] std::size_t swap_pieces_for(std::uint64_t key_count, std::uint32_t leaf);
/// So many pieces, or as many as a scatter can distinguish; none if these are too few as well.
[[nodiscard]] std::vector<SwapPiece> scatter_pieces(DigitTree const& tree,
                                                    std::span<std::uint64_t const> counts,
                                                    std::span<FinalBucket const> buckets,
                                                    std::uint64_t key_count,
                                                    std::uint32_t leaf);

/// Where keys find their label; see RangeLabels.
struct RangeTable {
    std::uint32_t labels = 0;
    std::uint32_t nodes = 1;
    std::vector<std::uint16_t> entries; ///< [nodes][2^digit_bits]
    int depth = 1;                      ///< digits on the longest way
};
/// \param labels ascending \param tree whose nodes lead to many labels in few steps
[[nodiscard]] RangeTable range_table(std::span<ScatterLabel const> labels, DigitTree const& tree);

} // namespace keyswap::kernels
