#pragma once

/// \file What variant `fast` distinguishes in one scatter, moves, and sorts as one: a bucket, half
/// of one, or buckets side by side that begin with the same digit. Plain C++.

#include "kernels/exchange_plan/arrived_segment.hpp"
#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Keys of neighbouring buckets that one GPU owns and that come to it in one round.
struct SwapSegment {
    std::size_t first_bucket = 0; ///< of the final ones
    std::size_t end_bucket = 0;
    GpuId gpu;
    std::uint32_t round = 0;
    std::uint64_t begin = 0; ///< in what the GPU owns
    std::uint64_t count = 0;
    ImageRange images;
    std::vector<BucketPart> sent;    ///< [g] where each source's part is scattered to
    std::vector<BucketPart> arrived; ///< [g] where that part comes to lie
    /// Where the GPU's own part lies for the first level; in the output buffer, as it was
    /// scattered.
    KeyBuffer own_part = KeyBuffer::input;

    /// Where the first level finds a source's part.
    [[nodiscard]] ArrivedPart part_from(std::uint32_t source) const;
};

/// Segments of a swap in rounds, ascending. Buckets of one round join where they have their highest
/// digit in common. \param bits_below_first bits of an image below that digit
[[nodiscard]] std::vector<SwapSegment> round_segments(RoundPlan const& plan,
                                                      std::span<FinalBucket const> buckets,
                                                      std::span<OwnershipRecord const> ownership,
                                                      int bits_below_first);

/// The same by the next bit as well: each segment that has keys on both sides of its middle in two.
/// \param halves [g][2 * digits] keys of each source, by the highest digit and the next bit
/// \pre a segment is one bucket of pass 1
[[nodiscard]] std::vector<SwapSegment> halved(std::span<SwapSegment const> segments,
                                              std::span<std::uint64_t const> halves,
                                              int bits_below_first);

/// Whether a level less for some keys makes up for the wider scatter of all, which takes a quarter
/// longer (FIGURES.md) where a level takes as long as a scatter. \param leaf largest
[[nodiscard]] bool use_half_digits(std::span<FinalBucket const> buckets, std::uint32_t leaf);

/// Segments of a swap with one copy a pair of GPUs (pair_swap.hpp), ascending; a bucket that is cut
/// is one on each of its GPUs. Buckets that are not join as in rounds.
[[nodiscard]] std::vector<SwapSegment> pair_segments(std::span<CopyRecord const> pairs,
                                                     std::span<FinalBucket const> buckets,
                                                     std::span<OwnershipRecord const> ownership,
                                                     int bits_below_first);

/// A pair swap as a single round, its copies in turns: first those to the next GPU, and so on.
[[nodiscard]] RoundPlan one_round_of(std::span<CopyRecord const> pairs,
                                     std::span<FinalBucket const> buckets,
                                     std::span<OwnershipRecord const> ownership);

/// Where a source's keys of an image range go in its scatter.
struct ScatterLabel {
    WideImage lowest = 0;
    std::uint64_t offset = 0;
    friend bool operator==(ScatterLabel const&, ScatterLabel const&) = default;
};
/// [labels] of a source, ascending; one a segment, but for a cut bucket, whose keys stay together.
[[nodiscard]] std::vector<ScatterLabel> scatter_labels(std::span<SwapSegment const> segments,
                                                       std::uint32_t source);

/// What a GPU sorts of a round, ascending by the bits that are left to sort.
[[nodiscard]] std::vector<ArrivedSegment>
arrived_segments(std::span<SwapSegment const> segments, GpuId gpu, std::uint32_t round);

} // namespace keyswap::kernels
