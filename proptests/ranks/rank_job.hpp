#pragma once

/// \file Sorts a case on ranks, and in a single process for comparison.

#include "model/buckets/chunks.hpp"
#include "model/ranks/communicator.hpp"
#include "model/verify/recorded_run.hpp"
#include "proptests/properties/sort_case.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// A sort for the ranks of a team.
struct RankJob {
    std::string algorithm = "rmg";
    int value_bits = 0;                ///< 0, 32 or 64; values are the input indices of the keys
    std::vector<std::uint64_t> shares; ///< [rank] number of keys it holds initially
    SortCase sort_case;                ///< its GPUs are the ranks
};

/// A job that divides the keys of a case evenly.
[[nodiscard]] RankJob evenly_shared(SortCase const& sort_case);

/// Formats a job as a JSON object on one line; also used to print counterexamples.
[[nodiscard]] std::string to_text(RankJob const& job);
void showValue(RankJob const& job, std::ostream& out);

/// Result of one rank, or of all ranks combined.
struct RankResult {
    std::string failure; ///< error of a rank or the planner; empty on success
    std::vector<std::uint64_t> images;
    std::vector<std::uint64_t> values;
    model::verify::RecordedRun records; ///< includes the verdicts on all ranks
};

/// Runs one rank's part of to_text(job), for RankTeam::run(). \return input of parse_result()
[[nodiscard]] std::string sort_as_rank(model::Communicator& ranks, std::string const& job);

/// Parses the result of sort_as_rank().
[[nodiscard]] RankResult parse_result(std::string const& text);

/// Sorts the job's keys on the ranks of the test program's team.
/// \return [rank]
[[nodiscard]] std::vector<RankResult> sort_by_ranks(RankJob const& job);

/// Sorts the job's keys in one process.
[[nodiscard]] RankResult sort_in_one_process(RankJob const& job);

} // namespace keyswap::proptests
