#pragma once

/// \file The units that variant `fast` scatters, transfers and sorts as one: a bucket, half of one,
/// or adjacent buckets with the same first digit. Plain C++.

#include "kernels/exchange_plan/arrived_segment.hpp"
#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Keys of adjacent buckets that one GPU owns and receives in one round.
struct SwapSegment {
    std::size_t first_bucket = 0; ///< index among the final buckets
    std::size_t end_bucket = 0;
    GpuId gpu;
    std::uint32_t round = 0;
    std::uint64_t begin = 0; ///< offset in the GPU's own range
    std::uint64_t count = 0;
    ImageRange images;
    std::vector<KeyRange> sent;    ///< [g] location of each source's part after the scatter
    std::vector<KeyRange> arrived; ///< [g] location of that part on the destination
    /// Buffer of the GPU's own part at the first level; `output` if it is still where it was
    /// scattered.
    KeyBuffer own_part = KeyBuffer::input;

    /// Location of a source's part for the first level.
    [[nodiscard]] ArrivedPart part_from(std::uint32_t source) const;
};

/// Segments of a swap in rounds, ascending. Buckets of one round are joined if their highest digit
/// is the same. \param bits_below_first bits of an image below that digit
[[nodiscard]] std::vector<SwapSegment> round_segments(RoundPlan const& plan,
                                                      std::span<FinalBucket const> buckets,
                                                      std::span<OwnershipRecord const> ownership,
                                                      int bits_below_first);

/// Splits each segment that has keys on both sides of its middle, by the next bit, into two.
/// \param halves [g][2 * digits] keys of each source by the highest digit and the next bit
/// \pre each segment is one bucket of pass 1
[[nodiscard]] std::vector<SwapSegment> halved(std::span<SwapSegment const> segments,
                                              std::span<std::uint64_t const> halves,
                                              int bits_below_first);

/// True if saving one level for some keys outweighs the wider scatter of all keys, which is 25 %
/// slower (FIGURES.md); a level takes as long as a scatter. \param leaf largest leaf
[[nodiscard]] bool use_half_digits(std::span<FinalBucket const> buckets, std::uint32_t leaf);

/// Segments of a swap with one copy per pair of GPUs (pair_swap.hpp), ascending; a cut bucket has
/// one on each of its GPUs. Other buckets are joined as in rounds.
[[nodiscard]] std::vector<SwapSegment> pair_segments(std::span<CopyRecord const> pairs,
                                                     std::span<FinalBucket const> buckets,
                                                     std::span<OwnershipRecord const> ownership,
                                                     int bits_below_first);

/// A pair swap as a single round with its copies in turns: first to the next GPU, and so on.
[[nodiscard]] RoundPlan single_round_plan(std::span<CopyRecord const> pairs,
                                          std::span<FinalBucket const> buckets,
                                          std::span<OwnershipRecord const> ownership);

/// Destination of a source's keys of an image range in its scatter.
struct ScatterLabel {
    WideImage lowest = 0;
    std::uint64_t offset = 0;
    friend bool operator==(ScatterLabel const&, ScatterLabel const&) = default;
};
/// [labels] of a source, ascending: one per segment, except a cut bucket, which has only one.
[[nodiscard]] std::vector<ScatterLabel> scatter_labels(std::span<SwapSegment const> segments,
                                                       std::uint32_t source);

/// The segments that a GPU sorts in a round, ascending by unsorted bits.
[[nodiscard]] std::vector<ArrivedSegment>
arrived_segments(std::span<SwapSegment const> segments, GpuId gpu, std::uint32_t round);

} // namespace keyswap::kernels
