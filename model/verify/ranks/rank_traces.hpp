#pragma once

/// \file Merges the traces of cooperating ranks into the trace of one run. First compares both
/// records of each copy: keys are lost if sender and receiver disagree on a count.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <span>
#include <vector>

namespace keyswap::model::verify {

struct MergedRanks {
    RecordedRun run; ///< copies as recorded by their senders
    /// Contradictions between ranks, ordered by rank.
    std::vector<Difference> differences;
};

/// \param ranks one trace of each rank, in any order
/// \return an error if a rank is missing, duplicate or not identifiable, or the runs differ
[[nodiscard]] Expected<MergedRanks> merge_ranks(std::span<RecordedRun const> ranks);

} // namespace keyswap::model::verify
