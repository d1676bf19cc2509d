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
    std::optional<std::string> zoo; ///< "all", or names with commas: in place of distributions
    std::uint64_t seed = 1;
    std::string type = "u32";
    std::string direction = "ascending";
    std::string zero_order = "total";
    std::string values = "none";
    bool stable = false;
    std::uint64_t runs = 1;
    std::optional<std::uint64_t> stop_after;
    unsigned jobs = 1;
    double timeout_s = record_timeout_s_default;
    std::string folder = record_folder_default;
    std::optional<std::string> trace;
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--library", library}}, {{"--record", trace}}, json ? "--json" : "", existing};
    }
};

/// What the runs of all cases share.
[[nodiscard]] Expected<conformance::ForeignRuns> resolved_runs(RecordOptions const& options);

/// The keys of each case: every number of every distribution, or inputs of the zoo.
[[nodiscard]] Expected<std::vector<model::KeyRequest>> resolved_keys(RecordOptions const& options,
                                                                     KeyType type);

/// Prints what became of the runs, with the first failure and the command that makes it again.
/// \pre there is a case
void print_record_text(RecordOptions const& options,
                       std::vector<conformance::ForeignCase> const& cases);
void print_record_json(RecordOptions const& options,
                       std::vector<conformance::ForeignCase> const& cases);

} // namespace keyswap::tools
