#include "kernels/exchange_plan/swap_rounds.hpp"

#include "kernels/exchange_plan/pair_swap.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::kernels {

namespace {

/// True if a bucket spans GPUs; all keys of such a bucket are equal.
bool has_cut_buckets(std::span<FinalBucket const> buckets) {
    return std::ranges::any_of(buckets, [](FinalBucket const& bucket) {
        return bucket.placement.first != bucket.placement.last;
    });
}

} // namespace

SwapRounds plan_rounds(std::span<FinalBucket const> buckets,
                       std::span<OwnershipRecord const> ownership,
                       std::span<std::uint64_t const> chunk_counts,
                       std::uint64_t capacity,
                       std::span<int const> shares,
                       int bits_below_first) {
    if (has_cut_buckets(buckets)) {
        auto const pairs = pair_copies(bucket_copies(buckets, ownership),
                                       static_cast<std::uint32_t>(ownership.size()));
        return {single_round_plan(pairs, buckets, ownership),
                SwapLayout::by_source,
                pair_segments(pairs, buckets, ownership, bits_below_first)};
    }
    RoundPlan plan = make_round_plan(buckets, ownership, chunk_counts, capacity, shares);
    auto segments = round_segments(plan, buckets, ownership, bits_below_first);
    return {std::move(plan), SwapLayout::by_round, std::move(segments)};
}

} // namespace keyswap::kernels
