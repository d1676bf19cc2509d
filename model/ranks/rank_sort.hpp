#pragma once

/// \file A sort whose GPUs are ranks that share no memory: each rank holds one chunk, all make the
/// same plan from all histograms, keys go straight to the rank that will own them, and each rank
/// sorts what it owns. Planner, partitioning and bucket sort are those of the replay in one
/// process.

#include "model/ranks/communicator.hpp"
#include "model/ranks/rank_keys.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// Whether ranks can carry it out: its plan has buckets and one exchange.
[[nodiscard]] bool ranks_can_sort(Algorithm const& algorithm);

/// Plans the sort of all ranks' keys from this rank's chunk and what the others say of theirs.
/// The plan is compared with the others' before it is returned.
/// \param config of all ranks' keys; its GPUs are the ranks
/// \param own counts this rank's chunk, config.key_count divided evenly
/// \throws RankFailure
[[nodiscard]] Expected<SortPlanPointer> plan_with_ranks(Communicator& ranks,
                                                        Algorithm const& algorithm,
                                                        SortConfig const& config,
                                                        KeySource& own);

/// Carries the plan out on this rank's chunk, with the others.
/// \param chunk its images and values in input order; their memory is reused
/// \param sink takes this rank's digests; may be null
/// \return the keys that this rank owns, sorted; or where its keys contradict the plan
/// \pre the plan is that of plan_with_ranks() for this chunk
/// \throws RankFailure
template <class Image, class Value>
[[nodiscard]] tl::expected<RankKeys<Image, Value>, Violation> sort_with_ranks(
    Communicator& ranks, Plan const& plan, RankKeys<Image, Value> chunk, TraceSink* sink);

/// Passes on what concerns one rank, its copies in both directions, and what all ranks decide
/// alike. Traces of all ranks make one again (merge_ranks.hpp).
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
