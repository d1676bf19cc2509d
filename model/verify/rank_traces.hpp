#pragma once

/// \file The traces of ranks that sorted together, made the trace of one run. What two ranks say of
/// one copy is compared first: between ranks, keys are lost where the ends count differently.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <span>
#include <vector>

namespace keyswap::model::verify {

struct MergedRanks {
    RecordedRun run; ///< copies as their senders have them
    /// Where ranks contradict each other, by rank.
    std::vector<Difference> differences;
};

/// \param ranks one trace of each rank, in any order
/// Errors: a rank that is missing, present twice or not identifiable, or traces of other runs.
[[nodiscard]] Expected<MergedRanks> merge_ranks(std::span<RecordedRun const> ranks);

} // namespace keyswap::model::verify
