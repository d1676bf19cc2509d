#pragma once

/// \file One case as ranks sort it, and as one process does.

#include "model/buckets/chunks.hpp"
#include "model/ranks/communicator.hpp"
#include "model/verify/recorded_run.hpp"
#include "proptests/properties/sort_case.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// What the ranks of a team are asked to sort.
struct RankJob {
    std::string algorithm = "rmg";
    int value_bits = 0;                ///< 0, 32 or 64; values are the keys' indices in the input
    std::vector<std::uint64_t> shares; ///< [rank] keys of the case that each has at first
    SortCase sort_case;                ///< its GPUs are the ranks
};

/// The keys of a case in equal shares.
[[nodiscard]] RankJob evenly_shared(SortCase const& sort_case);

/// One JSON object in a line; RapidCheck prints counterexamples so.
[[nodiscard]] std::string to_text(RankJob const& job);
void showValue(RankJob const& job, std::ostream& out);

/// What one rank came to, or all of them together.
struct RankResult {
    std::string failure; ///< of a rank, or a refusal to plan; empty if it sorted
    std::vector<std::uint64_t> images;
    std::vector<std::uint64_t> values;
    model::verify::RecordedRun records; ///< with the verdicts on all ranks
};

/// One rank's part of to_text(job), for RankTeam::run. \return a text for parse_result()
[[nodiscard]] std::string sort_as_rank(model::Communicator& ranks, std::string const& job);

/// The inverse of the text that sort_as_rank() returns.
[[nodiscard]] RankResult parse_result(std::string const& text);

/// Sorts the job's keys on the ranks of this program's team.
/// \return [rank]
[[nodiscard]] std::vector<RankResult> sort_by_ranks(RankJob const& job);

/// The same in one process.
[[nodiscard]] RankResult sort_in_one_process(RankJob const& job);

} // namespace keyswap::proptests
