#pragma once

/// \file One run of a third-party sort: generate keys, call the sort, check its output.

#include "model/distributions/key_generator.hpp"
#include "tools/record/process/private_folder.hpp"
#include "tools/record/third_party_sort.hpp"
#include "tools/record/wrong_places.hpp"
#include "traces/records/records.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::conformance {

/// Keys of consecutive runs.
enum class KeysOfRuns {
    next_seeds, ///< a new seed for each run
    same        ///< equal keys in all runs
};

/// The sort under test and its keys.
struct ThirdPartySort {
    std::filesystem::path library; ///< empty: run `command`
    std::string function = "sort"; ///< of the library
    std::string command;           ///< shell command; {input} and {output} are raw key files
    model::KeyRequest keys;        ///< of the first run
    KeysOfRuns keys_of_runs = KeysOfRuns::next_seeds;
    /// Keys of every run, instead of generated ones; `keys` then gives type and count. Null: none.
    std::shared_ptr<std::vector<std::byte> const> given_keys = nullptr;
    std::string kept_stem = {}; ///< base name of kept files; empty: seed or run number
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;
    ValueType value_type = ValueType::none; ///< libraries only: input indices as values
    Stability stability = Stability::unstable;
    std::chrono::milliseconds timeout{60'000};
};

/// Key and value types and the order that a correct output has.
[[nodiscard]] SortShape shape_of(ThirdPartySort const& subject);

/// Seed of a run's keys. \param number of the run, from 0 on
[[nodiscard]] std::uint64_t seed_of(ThirdPartySort const& subject, std::uint64_t number);

/// Result of one run.
struct ThirdPartyRun {
    std::uint64_t seed = 0;
    ProcessResult end;
    std::vector<std::string> sentences; ///< errors found in the output, if any
    std::vector<VerdictRecord> verdicts;
    std::filesystem::path input;  ///< file of the keys; empty if not kept
    std::filesystem::path output; ///< output file; empty if none, or not kept
    std::uint64_t number = 0;     ///< index of the run
    WrongPlaces places = {};      ///< wrong places of the output, if kept

    [[nodiscard]] bool holds() const;
    /// Kind of a failure: "not sorted, not permutation", "killed by a signal" ...
    [[nodiscard]] std::string kind() const;
};

/// Serializes a run, to pass it between processes.
[[nodiscard]] std::string encoded(Expected<ThirdPartyRun> run);
/// \pre the text was returned by encoded()
[[nodiscard]] Expected<ThirdPartyRun> decoded_run(std::string_view text);

/// Folders for the files of consecutive runs.
struct RunFiles {
    std::filesystem::path folder; ///< for kept files
    std::filesystem::path work;   ///< subfolder for a command's input and output, new in each run
    UnquotedPath plain;           ///< path of `work` that needs no quoting
    RemovedWithKeyswap removed;
    bool keeps_failures = true; ///< false once the first failure is kept

    /// \param process index of the worker process, for a subfolder of its own; nullopt if alone
    [[nodiscard]] static Expected<RunFiles> make(std::filesystem::path const& folder,
                                                 std::optional<unsigned> process);
};

/// Generates the keys of a run, runs the sort on a copy and checks the output: order, permutation,
/// values still paired with their keys, and input order of equal keys if the sort is stable. All
/// processes of the run have ended before the check.
/// \param number index of the run
/// \return an error if no process can be started or files cannot be written
/// \pre this process has no other threads
[[nodiscard]] Expected<ThirdPartyRun>
run_once(ThirdPartySort const& subject, std::uint64_t number, RunFiles& files);

} // namespace keyswap::conformance
