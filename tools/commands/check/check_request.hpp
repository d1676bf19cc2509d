#pragma once

/// \file What `keyswap check` was asked, and what its checks of sorts and of multisplits both say.

#include "model/check/output_check.hpp"
#include "model/check/value_check.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/record_arguments.hpp"
#include "tools/output/command_files.hpp"
#include "tools/text/json.hpp"
#include "tools/text/junit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// As the user gave them.
struct CheckOptions {
    std::vector<std::string> files; ///< the input, then outputs
    std::vector<std::string> input;
    std::vector<std::string> output;
    std::string operation = "sort";
    std::optional<std::string> rule;
    std::optional<std::uint32_t> buckets;
    std::optional<std::string> starts;
    std::optional<std::string> values;
    std::optional<std::string> value_bits; ///< "32" without it
    bool stable = false;
    std::string nan_order = "total";
    std::optional<std::string> type;
    std::string direction = "ascending";
    std::string format = "auto";
    std::optional<std::string> column;        ///< of inputs that are CSV
    std::optional<std::string> output_column; ///< of outputs
    std::optional<std::uint32_t> gpu_count;
    std::string zero_order = "total";
    std::optional<std::uint64_t> hash_seed; ///< of fingerprints; none: drawn anew
    std::optional<std::string> by;          ///< key columns of rows
    std::optional<std::string> schema;      ///< types of their columns
    RecordArguments records;
    unsigned threads = 0;
    std::optional<std::string> junit;
    Existing existing = Existing::keep;
    bool json = false;
    CLI::App const* command = nullptr; ///< that parsed them; outlives the run

    /// \pre input and output have the files
    [[nodiscard]] CommandFiles named() const;
};

/// The files of both sides, where they can be read.
struct CheckFiles {
    std::vector<std::filesystem::path> inputs;
    std::vector<std::filesystem::path> outputs;
};

/// How the options say that outputs are checked.
[[nodiscard]] Expected<model::OutputCheckOptions> output_check_options(CheckOptions const& options);

/// Checks values against their keys.
/// \param starts of buckets, within which a stable output keeps the input's order; none for a sort
[[nodiscard]] Expected<std::optional<model::ValueCheck>>
check_values(CheckOptions const& options,
             CheckFiles const& files,
             model::OutputCheckOptions const& resolved,
             std::span<std::uint64_t const> starts = {});

/// Whether values are as they were promised; also where there are none.
[[nodiscard]] bool values_hold(std::optional<model::ValueCheck> const& values, bool stable);

/// What values show, in sentences.
/// \param group "Equal keys", "Keys of a bucket": what a stable output keeps in input order
[[nodiscard]] std::vector<std::string> value_sentences(
    std::optional<model::ValueCheck> const& values, bool stable, std::string const& group);
[[nodiscard]] Json values_json(std::optional<model::ValueCheck> const& values,
                               std::vector<std::string> sentences);

/// What the check of a sort found, as --json prints it. \param config what was asked
[[nodiscard]] Json check_document(Json config,
                                  model::OutputCheck const& keys,
                                  std::optional<model::ValueCheck> const& values,
                                  bool stable);
/// The same of the order of keys.
[[nodiscard]] Json order_document(Json config, model::OrderCheck const& check);

/// Prints "check: OUTPUT against INPUT, u32, ascending"; without inputs "check: the order of
/// OUTPUT, ". \param what is checked, in words
void print_check_heading(CheckOptions const& options, std::string const& what);

/// Writes a test suite named after the output, if --junit was given.
[[nodiscard]] Expected<void> write_check_junit(CheckOptions const& options,
                                               std::vector<JunitCase> cases);

/// The test case of values: nothing is wrong with them, or what is. None if there are none.
[[nodiscard]] std::vector<JunitCase>
value_cases(std::optional<model::ValueCheck> const& values, bool stable, std::string const& group);

/// All of a text, a line for each sentence.
[[nodiscard]] std::string lines_of(std::vector<std::string> const& sentences);

/// One file as its name, several as a list.
[[nodiscard]] Json files_json(std::vector<std::string> const& files);

/// `keyswap check --operation multisplit`.
[[nodiscard]] Expected<ExitCode> check_multisplit(CheckOptions const& options,
                                                  CheckFiles const& files);

/// `keyswap check --by`: rows of tables. \pre input and output have the files; without an input
/// only the order is asked for
[[nodiscard]] Expected<ExitCode> check_rows_of_files(CheckOptions const& options);

/// `keyswap check --record-bytes`: records of two sides, or the order of one. \pre output has files
[[nodiscard]] Expected<ExitCode> check_records(CheckOptions const& options);

/// "Taken for a header: ..." for each, a line each.
void print_headers(std::vector<std::string> const& headings);

/// `keyswap check FILE`: whether its keys are in order. \pre one file is named
[[nodiscard]] Expected<ExitCode> check_one_file(CheckOptions const& options);

} // namespace keyswap::tools
