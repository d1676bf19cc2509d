#pragma once

/// \file Rebalances ranks' shares of any size into the equal chunks that a plan requires.

#include "model/buckets/chunks.hpp"
#include "model/ranks/rank_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Ranges of the ranks' keys in the concatenation of all shares by rank.
/// \param sizes [rank]
[[nodiscard]] inline std::vector<IndexRange> ranges_of(std::span<std::uint64_t const> sizes) {
    std::vector<IndexRange> ranges;
    std::uint64_t begin = 0;
    for (std::uint64_t const size : sizes) {
        ranges.push_back({begin, begin + size});
        begin += size;
    }
    return ranges;
}

/// \return [rank] the chunks of the plan
[[nodiscard]] inline std::vector<IndexRange> ranges_of(Chunks const& chunks) {
    std::vector<IndexRange> ranges;
    for (std::uint32_t rank = 0; rank < chunks.gpu_count(); ++rank) {
        ranges.push_back(chunks.of(GpuId{rank}));
    }
    return ranges;
}

[[nodiscard]] inline IndexRange common_part(IndexRange a, IndexRange b) {
    std::uint64_t const begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Redistributes keys: sends each rank the part of `own` inside its range of `after`.
/// \param before [rank] current ranges; `own` holds this rank's
/// \param after [rank] target ranges; both cover the same keys
template <class T>
[[nodiscard]] std::vector<T> redistribute(Communicator& ranks,
                                          std::string_view step,
                                          std::span<IndexRange const> before,
                                          std::span<IndexRange const> after,
                                          std::vector<T> own) {
    IndexRange const had = before[ranks.rank()];
    IndexRange const gets = after[ranks.rank()];
    std::vector<T> moved(gets.size());
    std::vector<std::span<std::byte const>> sends;
    std::vector<std::span<std::byte>> receives;
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        IndexRange const out = common_part(had, after[rank]);
        IndexRange const in = common_part(gets, before[rank]);
        sends.push_back(std::as_bytes(std::span(own))
                            .subspan(out.size() == 0 ? 0 : (out.begin - had.begin) * sizeof(T),
                                     out.size() * sizeof(T)));
        receives.push_back(std::as_writable_bytes(std::span(moved))
                               .subspan(in.size() == 0 ? 0 : (in.begin - gets.begin) * sizeof(T),
                                        in.size() * sizeof(T)));
    }
    ranks.exchange(step, sends, receives);
    return moved;
}

/// Redistributes shares of any size into equal chunks, as a sort of all keys requires. Preserves
/// the order by rank.
/// \param shares [rank] range of each share among all keys, identical on every rank
/// \throws RankFailure
template <class Image, class Value>
[[nodiscard]] RankKeys<Image, Value>
even_shares(Communicator& ranks, std::span<IndexRange const> shares, RankKeys<Image, Value> own) {
    auto const chunks = ranges_of(Chunks(shares.back().end, ranks.size()));
    if (std::ranges::equal(shares, chunks)) {
        return own;
    }
    RankKeys<Image, Value> even;
    even.keys = redistribute(ranks, "balancing keys", shares, chunks, std::move(own.keys));
    if constexpr (!std::is_same_v<Value, NoValue>) {
        even.values =
            redistribute(ranks, "balancing values", shares, chunks, std::move(own.values));
    }
    return even;
}

} // namespace keyswap::model
