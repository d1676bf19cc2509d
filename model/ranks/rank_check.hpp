#pragma once

/// \file Checks a distributed sort without gathering keys: each rank checks its own keys and
/// exchanges a few words. Source: L. Hübschle-Schneider, P. Sanders,
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

/// A rank's contribution to the check: of constant size, whatever the number of keys.
struct RankSummary {
    MultisetDigest before; ///< of the input chunk
    MultisetDigest after;  ///< of the owned keys
    KeyImage first;        ///< of the owned keys; unspecified if there are none
    KeyImage last;
    std::uint64_t unsorted = 0; ///< 1 + index of the first key below its predecessor; 0 = none
};

/// Summarizes the owned keys. \param before digest of the rank's input chunk
template <class Image, class Value>
[[nodiscard]] RankSummary summary_of(MultisetDigest const& before,
                                     KeyArrays<Image, Value> const& owned);

/// Combines all ranks' summaries into verdicts on sortedness, permutation and balance.
/// \param owned_max maximum number of keys that a rank may own \return identical on every rank
/// \throws RankFailure
[[nodiscard]] std::vector<VerdictRecord>
check_with_ranks(Communicator& ranks, RankSummary const& own, std::uint64_t owned_max);

} // namespace keyswap::model
