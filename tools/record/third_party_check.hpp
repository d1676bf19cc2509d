#pragma once

/// \file Runs a third-party sort repeatedly, on new keys each time, and checks every output.

#include "tools/record/failure_rate.hpp"
#include "tools/record/third_party_run.hpp"

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

/// The sort under test and the number of its runs.
struct ThirdPartyRuns : ThirdPartySort {
    std::uint64_t run_count = 1;
    std::uint64_t failure_count_max = std::numeric_limits<std::uint64_t>::max(); ///< then stops
    unsigned job_count = 1;                                                      ///< in parallel
    /// Starts no run after it, except the first one.
    std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;
    bool keeps_failure = true;         ///< keep the files of the first failure
    std::filesystem::path folder;      ///< absolute; each call makes a new subfolder
    std::function<void()> on_run = {}; ///< called after each run
};

/// Durations of the sort over the runs that returned: for a library, of the function call; for a
/// command, of the process.
struct RunTimes {
    std::chrono::nanoseconds least{0};
    std::chrono::nanoseconds median{0};
    std::chrono::nanoseconds most{0};
};

struct RunCounts {
    std::uint64_t run_count = 0; ///< completed runs
    std::uint64_t failure_count = 0;

    RunCounts& operator+=(RunCounts const& other) {
        run_count += other.run_count;
        failure_count += other.failure_count;
        return *this;
    }

    /// True if only some runs failed. \pre at least one failed
    [[nodiscard]] bool is_intermittent() const { return failure_count < run_count; }
};

struct ThirdPartyReport : RunCounts {
    std::optional<Interval> rate_95;    ///< of failures; nullopt unless one case has several runs
    std::optional<RunTimes> times;      ///< nullopt if no run returned
    bool interrupted = false;           ///< stopped before all runs were done
    std::uint64_t left_running = 0;     ///< processes that runs left behind; killed
    std::optional<ThirdPartyRun> first; ///< failed run with the lowest number
    std::vector<std::pair<std::string, std::uint64_t>> kinds; ///< kinds of failures, with counts
    std::optional<RunCounts> again; ///< repeats on the keys of `first`; nullopt if none
};

/// Runs the sort and checks every output against the generated keys; the sort only gets a copy of
/// them.
/// \return an error if the sort cannot be run, or its files cannot be written
/// \pre this process has no other threads
[[nodiscard]] Expected<ThirdPartyReport> run_third_party_sort(ThirdPartyRuns const& runs);

/// Repeats a failing run on the same keys, to detect intermittent failures: ten times, ten more if
/// a run passes, at most ten seconds. Keeps no files.
/// \param runs the runs that produced the failure
[[nodiscard]] Expected<RunCounts> run_same_keys_again(ThirdPartyRuns const& runs,
                                                      ThirdPartyRun const& failure);

} // namespace keyswap::conformance
