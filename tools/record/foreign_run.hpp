#pragma once

/// \file One run of a sort that somebody else wrote: keys made, sort called, output checked.

#include "model/keys/key_generator.hpp"
#include "tools/record/foreign_sort.hpp"
#include "tools/record/private_folder.hpp"
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

/// The keys of runs that follow one another.
enum class KeysOfRuns {
    next_seeds, ///< each run has the keys of the next seed
    same        ///< all runs have the same keys
};

/// What is run, and on which keys.
struct ForeignSubject {
    std::filesystem::path library; ///< empty: `command` is run
    std::string function = "sort"; ///< of the library
    std::string command;           ///< of the shell; {input} and {output} are files of raw keys
    model::KeyRequest keys;        ///< of the first run
    KeysOfRuns keys_of_runs = KeysOfRuns::next_seeds;
    /// The keys of every run, which `keys` then does not make but only counts. Null: none.
    std::shared_ptr<std::vector<std::byte> const> given_keys = nullptr;
    std::string kept_stem = {}; ///< of the names of kept files; empty: the seed or the run
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;
    ValueType value_type = ValueType::none; ///< of libraries: input indices travel with the keys
    Stability stability = Stability::unstable;
    std::chrono::milliseconds timeout{60'000};
};

/// The seed of a run's keys. \param number of the run, from 0 on
[[nodiscard]] std::uint64_t seed_of(ForeignSubject const& subject, std::uint64_t number);

/// What came of one run.
struct ForeignRun {
    std::uint64_t seed = 0;
    ChildOutcome end;
    std::vector<std::string> sentences; ///< what is wrong with the output, where there is one
    std::vector<VerdictRecord> verdicts;
    std::filesystem::path input;  ///< its keys, where they are kept
    std::filesystem::path output; ///< what came out, where something did and it is kept
    std::uint64_t number = 0;     ///< among the runs, from 0 on
    WrongPlaces places = {};      ///< of the output, where it is kept

    [[nodiscard]] bool holds() const;
    /// Of a failure: "not sorted, not permutation", "killed by a signal" ...
    [[nodiscard]] std::string kind() const;
};

/// A run on its way between processes.
[[nodiscard]] std::string encoded(Expected<ForeignRun> const& run);
/// \pre encoded() made the text
[[nodiscard]] Expected<ForeignRun> decoded_run(std::string_view text);

/// Where the files of runs lie that follow one another.
struct RunFiles {
    std::filesystem::path folder; ///< in which files are kept
    std::filesystem::path work;   ///< in it: what a command reads and writes, new for each run
    PlainName plain;              ///< of `work`
    RemovedWithKeyswap removed;
    bool keeps_failures = true; ///< false once the first one is kept

    /// \param process that shares the folder with others, if it does
    [[nodiscard]] static Expected<RunFiles> make(std::filesystem::path const& folder,
                                                 std::optional<unsigned> process);
};

/// Makes the keys of a run, runs the sort on a copy of them and checks its output against them:
/// order, permutation, and where values travel that they are with their keys, in input order if the
/// sort is to be stable. Nothing that the run started lives on when it is checked.
/// \param number of the run, from 0 on
/// \return an error if no process can be started, or files cannot be written
/// \pre this process has no other threads
[[nodiscard]] Expected<ForeignRun>
run_once(ForeignSubject const& subject, std::uint64_t number, RunFiles& files);

} // namespace keyswap::conformance
