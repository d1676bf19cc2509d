#pragma once

/// \file The fewest keys found on which a sort of somebody else still fails.

#include "tools/record/foreign_check.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::conformance {

struct ShrunkFailure {
    std::uint64_t keys_before = 0;
    std::uint64_t keys_after = 0;
    bool minimal = false;             ///< without any one of its keys it was not seen to fail
    std::uint64_t run_count = 0;      ///< that the search took
    std::chrono::nanoseconds time{0}; ///< ... in all
    SameKeysRuns again;               ///< runs on the smallest keys
    ForeignRun run;                   ///< a failure on them, with its files
    std::vector<std::string> keys;    ///< all of them if they are few, else none
};

inline constexpr std::uint64_t shrunk_keys_shown_max = 40;

/// Looks for few keys that fail in the way that `failure` does. If the failure comes and goes, each
/// try is so many runs that it shows with a probability of 95 %, 500 at most.
/// \param runs made the failure; its keys are those of the case
/// \param time_max of the search; a run that goes on is waited for
/// \return nullopt if the failure did not show again
/// \pre this process has no other threads
[[nodiscard]] Expected<std::optional<ShrunkFailure>> shrink_failure(
    ForeignRuns const& runs, ForeignRun const& failure, std::chrono::milliseconds time_max);

} // namespace keyswap::conformance
