#pragma once

/// \file Repeated runs of a sort that somebody else wrote, each on other keys, each checked.

#include "model/check/output_check.hpp"
#include "model/keys/key_generator.hpp"
#include "tools/record/failure_rate.hpp"
#include "tools/record/foreign_sort.hpp"
#include "traces/records/records.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::conformance {

/// What is run, and how often.
struct ForeignRuns {
    std::filesystem::path library; ///< empty: `command` is run
    std::string function = "sort"; ///< of the library
    std::string command;           ///< of the shell; {input} and {output} are files of raw keys
    model::KeyRequest keys;        ///< of the first run; later ones have the seeds that follow
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;
    ValueType value_type = ValueType::none; ///< of libraries: input indices travel with the keys
    Stability stability = Stability::unstable;
    std::uint64_t run_count = 1;
    std::chrono::milliseconds timeout{60'000};
    std::filesystem::path folder; ///< absolute; files lie in a new folder in it
};

/// One run that went wrong.
struct ForeignFailure {
    std::uint64_t seed = 0;
    ChildOutcome end;
    std::vector<std::string> sentences; ///< what is wrong with the output, where there is one
    std::vector<VerdictRecord> verdicts;
    std::filesystem::path input;  ///< its keys, kept
    std::filesystem::path output; ///< what came out, kept where something did
};

struct ForeignReport {
    std::uint64_t run_count = 0; ///< that were done
    std::uint64_t failure_count = 0;
    Interval rate_95;               ///< of failures
    bool interrupted = false;       ///< before all runs were done
    std::uint64_t left_running = 0; ///< processes that runs left behind and that were ended
    std::optional<ForeignFailure> first;
    std::vector<std::pair<std::string, std::uint64_t>> kinds; ///< of failures, with their counts
};

/// Runs the sort and checks every output against the keys that were made, which the sort has only a
/// copy of: order, permutation, and where values travel that they are with their keys, in input
/// order if the sort is to be stable. Nothing that a run started lives on when it is checked.
/// \return an error where the sort cannot be run, or its files cannot be written
/// \pre this process has no other threads
[[nodiscard]] Expected<ForeignReport> run_foreign_sort(ForeignRuns const& runs);

} // namespace keyswap::conformance
