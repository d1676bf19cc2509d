#pragma once

/// \file Sort on ranks that share no memory: each rank holds one chunk, all ranks compute the same
/// plan from the histograms of all chunks, send keys directly to the ranks that will own them, and
/// sort the keys that they own. Planner, partitioning and bucket sort are those of the
/// single-process replay.

#include "model/ranks/communicator.hpp"
#include "model/ranks/rank_keys.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// True if the algorithm runs on ranks: its plan consists of buckets and a single exchange.
[[nodiscard]] bool ranks_can_sort(Algorithm const& algorithm);

/// Plans the sort collectively from all ranks' chunks. Compares the ranks' plans before returning
/// and gives an error if they differ.
/// \param config for all keys; its GPUs are the ranks
/// \param own counts this rank's chunk: config.key_count divided evenly
/// \throws RankFailure
[[nodiscard]] Expected<SortPlanPointer> plan_with_ranks(Communicator& ranks,
                                                        Algorithm const& algorithm,
                                                        SortConfig const& config,
                                                        KeySource& own);

/// Executes the plan on this rank's chunk; collective.
/// \param chunk images and values in input order; their memory is reused
/// \param sink receives this rank's digests; may be null
/// \return this rank's owned keys, sorted; a Violation if its keys contradict the plan
/// \pre the plan was returned by plan_with_ranks() for this chunk
/// \throws RankFailure
template <class Image, class Value>
[[nodiscard]] tl::expected<RankKeys<Image, Value>, Violation> sort_with_ranks(
    Communicator& ranks, Plan const& plan, RankKeys<Image, Value> chunk, TraceSink* sink);

/// Filters a trace for one rank: passes on its own records, its copies in both directions, and
/// collective decisions. merge_ranks.hpp merges the traces of all ranks.
class RankRecords final : public TraceSink {
  public:
    /// \pre `sink` outlives this object
    RankRecords(TraceSink& sink, GpuId rank) : sink_(sink), rank_(rank) {}
    void write(TraceRecord const& record) override;
    void declare(SwapLayout layout) override { sink_.declare(layout); }

  private:
    TraceSink& sink_;
    GpuId rank_;
};

} // namespace keyswap::model
