#pragma once

/// \file Repeated runs of a sort that somebody else wrote, each on other keys, each checked.

#include "tools/record/failure_rate.hpp"
#include "tools/record/foreign_run.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::conformance {

/// What is run, and how often.
struct ForeignRuns : ForeignSubject {
    std::uint64_t run_count = 1;
    std::uint64_t failure_count_max = std::numeric_limits<std::uint64_t>::max(); ///< then it stops
    unsigned job_count = 1;                                                      ///< runs at a time
    /// No run is begun after it. The first run is made in any case.
    std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;
    bool keeps_failure = true;         ///< the files of the first one
    std::filesystem::path folder;      ///< absolute; files lie in a new folder in it
    std::function<void()> on_run = {}; ///< called after each run
};

/// How long the sort took in those runs that returned. Of a library that is its call, of a command
/// the time from its start to its end.
struct RunTimes {
    std::chrono::nanoseconds least{0};
    std::chrono::nanoseconds median{0};
    std::chrono::nanoseconds most{0};
};

/// How often the same keys failed.
struct SameKeysRuns {
    std::uint64_t run_count = 0;
    std::uint64_t failure_count = 0;

    /// Whether the sort failed sometimes, and sometimes not.
    [[nodiscard]] bool is_intermittent() const { return failure_count < run_count; }
};

struct ForeignReport {
    std::uint64_t run_count = 0; ///< that were done, from the first on
    std::uint64_t failure_count = 0;
    std::optional<Interval> rate_95; ///< of failures; nullopt unless several runs draw one case
    std::optional<RunTimes> times;   ///< nullopt if no run returned
    bool interrupted = false;        ///< before all runs were done
    std::uint64_t left_running = 0;  ///< processes that runs left behind and that were ended
    std::optional<ForeignRun> first; ///< of those that failed, the one of the least number
    std::vector<std::pair<std::string, std::uint64_t>> kinds; ///< of failures, with their counts
    std::optional<SameKeysRuns> again; ///< runs on the keys of `first` alone, if there were any
};

/// Runs the sort and checks every output against the keys that were made, which the sort has only a
/// copy of.
/// \return an error where the sort cannot be run, or its files cannot be written
/// \pre this process has no other threads
[[nodiscard]] Expected<ForeignReport> run_foreign_sort(ForeignRuns const& runs);

/// Runs the sort on the keys of one failure again, to see whether it comes and goes: ten times, and
/// ten more if a run was right, for ten seconds at most. Keeps no files.
/// \param runs made the failure
[[nodiscard]] Expected<SameKeysRuns> run_same_keys_again(ForeignRuns const& runs,
                                                         ForeignRun const& failure);

} // namespace keyswap::conformance
