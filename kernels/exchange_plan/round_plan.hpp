#pragma once

/// \file How variant `fast` divides the key swap into rounds, so that a GPU sorts what has come
/// while the rest is still on its way. Host logic without CUDA.
///
/// Every destination's buckets are divided into the same number of rounds. A source scatters its
/// chunk into an order of rounds, then destinations, then buckets, so that what it sends to one GPU
/// in one round is a single copy; and as rounds leave, the front of its second buffer becomes free
/// for the digit steps of the rounds that have come. The result of round r begins where its keys
/// come to lie in sorted order, in both buffers.
///
/// What a GPU keeps stays in its second buffer, where the first step of the round reads it, if no
/// result up to that round's own reaches it there. The last round's own part never could, and is
/// copied before anything is sorted: so it comes first in the chunk, and makes the room that the
/// own parts of all other rounds need to lie behind their results.

#include "kernels/exchange_plan/swap_plan.hpp"
#include "kernels/primitives/key_buffer.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// One copy of a round: all keys that a source has for a destination. That of a part which stays is
/// as a trace records it, from where it lies to where it would arrive; none is made.
struct RoundCopy {
    std::uint32_t round = 0;
    CopyRecord copy; ///< its stage is the round
};

/// What a destination sorts in a round: buckets [first_bucket, end_bucket), keys [begin, end) of
/// its own range.
struct RoundRange {
    std::size_t first_bucket = 0;
    std::size_t end_bucket = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    /// Rounds that the GPU itself must have sent before the result may overwrite their keys.
    std::uint32_t rounds_sent_before = 0;
    /// Where the GPU's own part lies for the first step: the output buffer is the one in which it
    /// was scattered.
    KeyBuffer own_part = KeyBuffer::input;
};

struct RoundPlan {
    std::uint32_t rounds = 1;
    std::uint32_t gpu_count = 1;
    std::vector<std::uint64_t> layout;  ///< [bucket][g] where a part lies on its source
    std::vector<std::uint64_t> arrival; ///< [bucket][g] where it comes to lie on its destination
    std::vector<RoundCopy> copies;      ///< by round, then turn, then source; own parts apart
    std::vector<std::vector<RoundRange>> ranges; ///< [g][rounds]

    [[nodiscard]] std::uint64_t layout_of(std::size_t bucket, std::uint32_t gpu) const {
        return layout[bucket * gpu_count + gpu];
    }
    [[nodiscard]] std::uint64_t arrival_of(std::size_t bucket, std::uint32_t gpu) const {
        return arrival[bucket * gpu_count + gpu];
    }
};

/// How the buckets of a round are sorted.
enum class BucketSort {
    steps,   ///< by one digit after the other, the lowest first; takes longer than the swap
    levels,  ///< by digits from the highest on until a block sorts the rest; likewise
    counting ///< by one digit, and by counting; takes about as long
};

/// What the number of rounds depends on.
struct RoundDemand {
    std::uint64_t keys_per_gpu = 0;
    std::uint64_t element_bytes = 4; ///< of a key with its value
    bool to_host = false; ///< each round's result goes on to host memory, which hides its launches
    BucketSort sort = BucketSort::levels;
    /// Keys a GPU below which there is one round; nullopt: where more would take longer.
    std::optional<std::uint64_t> rounds_min = std::nullopt;
};

/// Shares of the rounds in 1/16: the first is small, since nothing hides it, and where the swap
/// takes as long as the sort so is the last, which nothing else hides. On two GPUs a round's own
/// part stays where the last round is no smaller. Few keys have three rounds or one, since each
/// takes some 0.1 ms however few they are.
[[nodiscard]] std::span<int const> round_shares(RoundDemand const& demand);

/// The same for a scatter that distinguishes segments by their ranges of images: all in one round
/// if there are more than it can distinguish. \param digit_bits of the first digit
[[nodiscard]] std::span<int const>
shares_by_ranges(std::span<int const> shares, std::uint32_t gpu_count, int digit_bits);

/// \param buckets ascending, all placed; neighbours of one prefix are pieces of a bucket, which a
/// round takes as a whole
/// \param chunk_counts [g] keys that each source holds
/// \param capacity keys that a buffer has room for; a source's layout ends there
[[nodiscard]] RoundPlan make_round_plan(std::span<FinalBucket const> buckets,
                                        std::span<OwnershipRecord const> ownership,
                                        std::span<std::uint64_t const> chunk_counts,
                                        std::uint64_t capacity,
                                        std::span<int const> shares);

} // namespace keyswap::kernels
