#pragma once

/// \file Whether ranks hold a sorted permutation together, without gathering keys: each looks at
/// its own, and all exchange what fits a few words. Source: L. Hübschle-Schneider, P. Sanders,
/// Communication Efficient Checking of Big Data Operations (IPDPS 2018), sorting and permutation
/// checkers.

#include "model/ranks/communicator.hpp"
#include "model/ranks/rank_sort.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/key_image.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// What a rank says of its keys: all that the check sends, whatever the number of keys.
struct RankSummary {
    MultisetDigest before; ///< of its chunk
    MultisetDigest after;  ///< of what it owns
    KeyImage first;        ///< of what it owns, where it owns any
    KeyImage last;
    std::uint64_t unsorted = 0; ///< 1 + index of the first key below its predecessor; 0 = none
};

/// \param before digest of the rank's chunk
template <class Image, class Value>
[[nodiscard]] RankSummary summary_of(MultisetDigest const& before,
                                     KeyArrays<Image, Value> const& owned);

/// The verdicts on all ranks' keys, the same on every rank: sorted, permutation, balance.
/// \param owned_max most keys that a rank may own
/// \throws RankFailure
[[nodiscard]] std::vector<VerdictRecord>
check_with_ranks(Communicator& ranks, RankSummary const& own, std::uint64_t owned_max);

} // namespace keyswap::model
