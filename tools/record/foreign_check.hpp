#pragma once

/// \file Repeated runs of a sort that somebody else wrote, each on other keys, each checked.

#include "model/key_generator.hpp"
#include "model/output_check.hpp"
#include "proptests/failure_rate.hpp"
#include "proptests/foreign_sort.hpp"
#include "traces/records.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
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
    std::filesystem::path folder; ///< for files of keys; exists
    std::function<void()> on_run; ///< told after each run
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
    std::uint64_t run_count = 0;
    std::uint64_t failure_count = 0;
    Interval rate_95; ///< of failures
    std::optional<ForeignFailure> first;
    std::vector<std::pair<std::string, std::uint64_t>> kinds; ///< of failures, with their counts
};

/// Runs the sort and checks every output: order, permutation, and where values travel that they
/// are with their keys, in input order if the sort is to be stable.
/// \pre this process has no other threads
[[nodiscard]] Expected<ForeignReport> run_foreign_sort(ForeignRuns const& runs);

/// A run of it as a trace's header names it.
[[nodiscard]] RunHeader header_of(ForeignRuns const& runs);

} // namespace keyswap::conformance
