#pragma once

/// \file Searches for the fewest keys on which a third-party sort still fails.

#include "tools/record/third_party_check.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::conformance {

struct ShrunkFailure {
    std::uint64_t keys_before = 0;
    std::uint64_t keys_after = 0;
    bool minimal = false;             ///< no run failed without any one of the keys
    std::uint64_t run_count = 0;      ///< runs of the search
    std::chrono::nanoseconds time{0}; ///< elapsed time of the search
    RunCounts again;                  ///< repeats on the smallest keys
    ThirdPartyRun run;                ///< a failure on them, with its files
    std::vector<std::string> keys;    ///< all keys if there are few, else empty
};

inline constexpr std::uint64_t shrunk_keys_shown_max = 40;

/// Searches for few keys with the same kind of failure as `failure`. If it is intermittent, each
/// try repeats runs until it would show with a probability of 95 %, at most 500 times.
/// \param runs the runs that produced the failure, with the keys of its case
/// \param time_max of the search; a run in progress is completed
/// \return nullopt if the failure did not recur
/// \pre this process has no other threads
[[nodiscard]] Expected<std::optional<ShrunkFailure>> shrink_failure(
    ThirdPartyRuns const& runs, ThirdPartyRun const& failure, std::chrono::milliseconds time_max);

} // namespace keyswap::conformance
