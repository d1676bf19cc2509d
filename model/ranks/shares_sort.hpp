#pragma once

/// \file Complete distributed sort, from shares of any size to checked owned keys.

#include "model/buckets/chunks.hpp"
#include "model/ranks/communicator.hpp"
#include "model/ranks/rank_sort.hpp"
#include "model/sorts/algorithm.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/records.hpp"

#include <functional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Result of sort_shares() on one rank.
template <class Image, class Value>
struct SortedShare {
    SortPlanPointer plan;
    RankKeys<Image, Value> owned;
    MultisetDigest content;              ///< of all ranks' keys
    std::vector<VerdictRecord> verdicts; ///< identical on every rank
    double seconds = 0;                  ///< planning, exchange and sort on this rank
};

/// Begins this rank's trace. An error ends the sort on all ranks.
/// \param content digest of all ranks' keys
/// \return sink of the rank's records; null to record nothing
using BeginRecord = std::function<Expected<TraceSink*>(SortPlan const&, MultisetDigest content)>;

/// Balances the shares, plans, exchanges, sorts and checks; collective.
/// \param config for all keys; its GPUs are the ranks
/// \param shares [rank] range of each share among all keys, identical on every rank
/// \param own images and values of this rank's share
/// \param begin_record may be empty, then nothing is recorded
/// Errors: the algorithm rejects the configuration, the ranks' plans differ, or a rank's keys
/// contradict the plan. A failed verdict is not an error.
/// \throws RankFailure
/// \pre the configuration is validated; ranks_can_sort(algorithm)
template <class Image, class Value>
[[nodiscard]] Expected<SortedShare<Image, Value>> sort_shares(Communicator& ranks,
                                                              Algorithm const& algorithm,
                                                              SortConfig const& config,
                                                              std::span<IndexRange const> shares,
                                                              RankKeys<Image, Value> own,
                                                              BeginRecord const& begin_record = {});

} // namespace keyswap::model
