#pragma once

/// \file Options of `keyswap record`, and the output of its results.

#include "tools/output/command_files.hpp"
#include "tools/record/third_party_check.hpp"
#include "tools/record/third_party_trace.hpp"

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
    std::optional<std::string> function; ///< in the library
    std::optional<std::string> command;
    std::vector<std::string> distributions{"uniform"};
    std::optional<double> parameter;
    std::vector<std::string> key_counts{"1000000"};
    std::optional<std::string> input; ///< file of keys, instead of distributions
    std::optional<std::string> zoo;   ///< "all", or comma-separated names, instead of distributions
    std::uint64_t seed = 1;
    std::string type = "u32";
    std::string direction = "ascending";
    std::string zero_order = "total";
    std::string values = "none";
    bool stable = false;
    std::uint64_t runs = 1;
    std::optional<std::uint64_t> same_keys; ///< runs per case, on the same keys
    std::optional<std::uint64_t> stop_after;
    unsigned jobs = 1;
    double timeout_s = record_timeout_s_default;
    std::string folder = record_folder_default;
    bool shrink = false;
    double shrink_s = record_shrink_s_default; ///< time limit for shrinking
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

/// Result of `keyswap record`.
struct RecordResult {
    std::vector<conformance::ThirdPartyCase> cases; ///< at least one
    /// The shown failure on fewer keys. nullopt if not requested, or if the failure did not
    /// recur.
    std::optional<conformance::ShrunkFailure> shrunk;
};

/// Options shared by the runs of all cases, including the keys of --input.
[[nodiscard]] Expected<conformance::ThirdPartyRuns> resolved_runs(RecordOptions const& options);

/// Keys of each case: the product of distributions and key counts, inputs of the zoo, or those of a
/// file.
[[nodiscard]] Expected<std::vector<model::KeyRequest>>
resolved_keys(RecordOptions const& options, conformance::ThirdPartyRuns const& runs);

/// Commands that reproduce the shown failure and the shrunk one; empty without a failure.
[[nodiscard]] conformance::FailureRecord failure_record(RecordOptions const& options,
                                                        RecordResult const& result);

/// Prints the result of the runs; for a failure also the command that reproduces it.
void print_record_text(RecordOptions const& options, RecordResult const& result);
void print_record_json(RecordOptions const& options, RecordResult const& result);
/// Writes a JUnit test suite with one test case per case.
[[nodiscard]] Expected<void> write_record_junit(RecordOptions const& options,
                                                RecordResult const& result);

} // namespace keyswap::tools
