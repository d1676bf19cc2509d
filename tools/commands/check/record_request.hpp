#pragma once

/// \file What `keyswap record` was asked, and what it says of the runs.

#include "tools/output/command_files.hpp"
#include "tools/record/foreign_check.hpp"
#include "tools/record/foreign_trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

inline constexpr double record_timeout_s_default = 60;
inline constexpr double record_shrink_s_default = 60;
inline constexpr char const* record_folder_default = "keyswap-record";
inline constexpr char const* record_function_default = "sort";

/// As the user gave them.
struct RecordOptions {
    std::optional<std::string> library;
    std::optional<std::string> function; ///< of the library
    std::optional<std::string> command;
    std::vector<std::string> distributions{"uniform"};
    std::optional<double> parameter;
    std::vector<std::string> key_counts{"1000000"};
    std::optional<std::string> input; ///< file of keys: in place of distributions
    std::optional<std::string> zoo;   ///< "all", or names with commas: in place of distributions
    std::uint64_t seed = 1;
    std::string type = "u32";
    std::string direction = "ascending";
    std::string zero_order = "total";
    std::string values = "none";
    bool stable = false;
    std::uint64_t runs = 1;
    std::optional<std::uint64_t> same_keys; ///< runs of each case, in place of `runs`
    std::optional<std::uint64_t> stop_after;
    unsigned jobs = 1;
    double timeout_s = record_timeout_s_default;
    std::string folder = record_folder_default;
    bool shrink = false;
    double shrink_s = record_shrink_s_default; ///< that shrinking may take
    std::optional<std::string> trace;
    std::optional<std::string> junit;
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--library", library}, {"--input", input}},
                {{"--record", trace, true}, {"--junit", junit}},
                json ? "--json" : "",
                existing};
    }
};

/// What `keyswap record` found.
struct RecordResult {
    std::vector<conformance::ForeignCase> cases; ///< [1 at least]
    /// The failure that is shown, on fewer keys. nullopt if that was not asked, or if the failure
    /// did not show again.
    std::optional<conformance::ShrunkFailure> shrunk;
};

/// What the runs of all cases share, the keys of --input among it.
[[nodiscard]] Expected<conformance::ForeignRuns> resolved_runs(RecordOptions const& options);

/// The keys of each case: every number of every distribution, inputs of the zoo, or those of a
/// file.
[[nodiscard]] Expected<std::vector<model::KeyRequest>>
resolved_keys(RecordOptions const& options, conformance::ForeignRuns const& runs);

/// The commands that make the shown failure again, and the smallest one; empty if there is none.
[[nodiscard]] conformance::FailureRecord failure_record(RecordOptions const& options,
                                                        RecordResult const& result);

/// Prints what became of the runs, with a failure and the command that makes it again.
void print_record_text(RecordOptions const& options, RecordResult const& result);
void print_record_json(RecordOptions const& options, RecordResult const& result);
/// A test suite with one case for each case.
[[nodiscard]] Expected<void> write_record_junit(RecordOptions const& options,
                                                RecordResult const& result);

} // namespace keyswap::tools
