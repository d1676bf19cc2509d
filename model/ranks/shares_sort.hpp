#pragma once

/// \file A sort by ranks from whatever keys each has to what each owns, checked.

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

/// What a rank holds once all have sorted.
template <class Image, class Value>
struct SortedShare {
    SortPlanPointer plan;
    RankKeys<Image, Value> owned;
    MultisetDigest content;              ///< of all ranks' keys
    std::vector<VerdictRecord> verdicts; ///< the same on every rank
    double seconds = 0;                  ///< planning, exchange and sort of this rank
};

/// Begins this rank's trace. An error ends the sort on all ranks.
/// \param content digest of all ranks' keys
/// \return what takes the rank's records; null for none
using BeginRecord = std::function<Expected<TraceSink*>(SortPlan const&, MultisetDigest content)>;

/// Evens the shares out, plans, exchanges, sorts and checks, with all other ranks.
/// \param config of all ranks' keys; its GPUs are the ranks
/// \param shares [rank] where each share lies among all keys, on every rank the same
/// \param own images and values of this rank's share
/// \param begin_record may be empty: no trace
/// Errors: the algorithm does not take the configuration, ranks plan differently, or a rank's keys
/// contradict the plan. Verdicts that do not hold are none.
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
