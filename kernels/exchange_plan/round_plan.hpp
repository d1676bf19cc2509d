#pragma once

/// \file How variant `fast` divides the key swap into rounds, so that a GPU sorts the keys of one
/// round while later ones are in transit. Host logic without CUDA.
///
/// Every destination's buckets are divided into the same number of rounds. A source scatters its
/// chunk by round, then destination, then bucket, so that its keys for one GPU in one round are a
/// single copy. As rounds are sent, the front of the source's second buffer becomes free for the
/// digit steps of rounds that have arrived. The result of round r begins at the offset of its keys
/// in the GPU's sorted range, in both buffers.
///
/// A GPU's own part remains in the second buffer, where the first step of its round reads it,
/// unless a result of that round or an earlier one overwrites it there. The last round's own part
/// is always in the way and is copied before the first sort. It is therefore first in the chunk,
/// which leaves the room that the own parts of all other rounds need to be behind their results.

#include "kernels/exchange_plan/swap_plan.hpp"
#include "kernels/primitives/key_buffer.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// What a destination sorts in a round: buckets [first_bucket, end_bucket), keys [begin, end) of
/// the GPU's own range.
struct RoundRange {
    std::size_t first_bucket = 0;
    std::size_t end_bucket = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    /// Rounds the GPU must have sent before the result may overwrite their keys.
    std::uint32_t rounds_sent_before = 0;
    /// Buffer of the GPU's own part at the first step; `output` if the part is still where it was
    /// scattered.
    KeyBuffer own_part = KeyBuffer::input;
};

struct RoundPlan {
    std::uint32_t rounds = 1;
    std::uint32_t gpu_count = 1;
    std::vector<std::uint64_t> layout;  ///< [bucket][g] offset of a part on its source
    std::vector<std::uint64_t> arrival; ///< [bucket][g] its offset on the destination
    /// In layout order (round, turn, source): all keys of a source for a destination in a round,
    /// which is the copy's stage. For an own part that is not moved, it is the copy a trace
    /// records, from its offset to its arrival offset, although none is made.
    std::vector<CopyRecord> copies;
    std::vector<std::vector<RoundRange>> ranges; ///< [g][rounds]

    /// The range of a copy's round on its destination.
    [[nodiscard]] RoundRange const& range_of(CopyRecord const& copy) const {
        return ranges[copy.destination.value][static_cast<std::size_t>(copy.stage)];
    }
    [[nodiscard]] std::uint64_t layout_of(std::size_t bucket, std::uint32_t gpu) const {
        return layout[bucket * gpu_count + gpu];
    }
    [[nodiscard]] std::uint64_t arrival_of(std::size_t bucket, std::uint32_t gpu) const {
        return arrival[bucket * gpu_count + gpu];
    }
};

/// How the buckets of a round are sorted.
enum class BucketSort {
    steps,   ///< LSD radix sort, digit by digit; slower than the swap
    levels,  ///< MSD digits until a block sorts the rest; slower than the swap
    counting ///< one digit, then counting; about as fast as the swap
};

/// Inputs that determine the number of rounds.
struct RoundDemand {
    std::uint64_t keys_per_gpu = 0;
    std::uint64_t element_bytes = 4; ///< of a key and its value
    bool to_host = false;            ///< downloads of each round's result hide its launches
    BucketSort sort = BucketSort::levels;
    /// Keys per GPU from which there are several rounds; nullopt: from where they are faster.
    std::optional<std::uint64_t> rounds_min = std::nullopt;
};

/// Sizes of the rounds in 1/16 of the keys. The first is small, as nothing overlaps it; if the swap
/// takes as long as the sort, so is the last, for the same reason. On two GPUs a round's own part
/// is not moved if the last round is no smaller. Few keys have three rounds or one, since each
/// round takes some 0.1 ms however few keys it has.
[[nodiscard]] std::span<int const> round_shares(RoundDemand const& demand);

/// As above, for a scatter that distinguishes segments by their image ranges: a single round if
/// there are more segments than it can distinguish. \param digit_bits of the first digit
[[nodiscard]] std::span<int const>
shares_by_ranges(std::span<int const> shares, std::uint32_t gpu_count, int digit_bits);

/// \param buckets ascending, all placed; consecutive ones with the same prefix are pieces of one
/// bucket and never split by a round
/// \param chunk_counts [g] keys of each source
/// \param capacity keys a buffer can hold; a source's layout ends there
[[nodiscard]] RoundPlan make_round_plan(std::span<FinalBucket const> buckets,
                                        std::span<OwnershipRecord const> ownership,
                                        std::span<std::uint64_t const> chunk_counts,
                                        std::uint64_t capacity,
                                        std::span<int const> shares);

} // namespace keyswap::kernels
