#pragma once

/// \file Options of `keyswap check`, and output shared by its checks of sorts and of multisplits.

#include "model/check/output_check.hpp"
#include "model/check/value_check.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/record_arguments.hpp"
#include "tools/output/command_files.hpp"
#include "tools/text/json.hpp"
#include "tools/text/junit.hpp"

#include <cstdint>
#include <functional>
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
    std::optional<std::string> value_bits; ///< nullopt: "32"
    bool stable = false;
    std::string nan_order = "total";
    std::optional<std::string> type;
    std::string direction = "ascending";
    std::string format = "auto";
    std::optional<std::string> column;        ///< of CSV inputs
    std::optional<std::string> output_column; ///< of CSV outputs
    std::optional<std::uint32_t> gpu_count;
    std::string zero_order = "total";
    std::optional<std::uint64_t> hash_seed; ///< of fingerprints; nullopt: random
    std::optional<std::string> by;          ///< key columns of rows
    std::optional<std::string> schema;      ///< types of their columns
    RecordArguments records;
    unsigned threads = 0;
    std::optional<std::string> junit;
    Existing existing = Existing::keep;
    bool json = false;
    CLI::App const* command = nullptr; ///< parsed these options; must outlive the run

    /// \pre `input` and `output` are set
    [[nodiscard]] CommandFiles named() const;
};

/// Readable files of both sides.
struct CheckFiles {
    std::vector<std::filesystem::path> inputs;
    std::vector<std::filesystem::path> outputs;
};

/// Resolves the options to those of an output check.
[[nodiscard]] Expected<model::OutputCheckOptions> output_check_options(CheckOptions const& options);

/// As check_float_orders() of a type, which is known once the files are read if --type is absent.
[[nodiscard]] Expected<void> check_float_orders(model::OutputCheckOptions const& options,
                                                std::optional<KeyType> type);

/// Checks values against their keys. \return nullopt if no values were given
/// \param starts of buckets, within which a stable output keeps the input order; empty for a sort
[[nodiscard]] Expected<std::optional<model::ValueCheck>>
check_values(CheckOptions const& options,
             CheckFiles const& files,
             model::OutputCheckOptions const& resolved,
             std::span<std::uint64_t const> starts = {});

/// True if the values are correct, or if there are none.
[[nodiscard]] bool values_hold(std::optional<model::ValueCheck> const& values, bool stable);

/// Findings about values, one sentence each.
/// \param group "Equal keys", "Keys of a bucket": elements that a stable output keeps in order
[[nodiscard]] std::vector<std::string> value_sentences(
    std::optional<model::ValueCheck> const& values, bool stable, std::string const& group);
[[nodiscard]] Json values_json(std::optional<model::ValueCheck> const& values,
                               std::vector<std::string> sentences);

/// Result of a sort's check for --json. \param config the resolved options
[[nodiscard]] Json check_document(Json config,
                                  model::OutputCheck const& keys,
                                  std::optional<model::ValueCheck> const& values,
                                  bool stable);
/// As check_document(), for a check of the order alone.
[[nodiscard]] Json order_document(Json config, model::OrderCheck const& check);

/// Prints "check: OUTPUT against INPUT, u32, ascending"; without inputs "check: the order of
/// OUTPUT, ". \param what is checked, in words
void print_check_header(CheckOptions const& options, std::string const& what);

/// Ends a check: writes a JUnit test suite named after the output if --junit is given, and prints
/// the result as JSON or, unless the suite is printed, as text.
[[nodiscard]] Expected<ExitCode> end_check(CheckOptions const& options,
                                           bool holds,
                                           std::vector<JunitCase> cases,
                                           std::function<Json()> const& json,
                                           std::function<void()> const& print_text);

/// Test case for the values: passed, or with the findings. Empty if there are no values.
[[nodiscard]] std::vector<JunitCase>
value_cases(std::optional<model::ValueCheck> const& values, bool stable, std::string const& group);

/// Joins sentences, one per line.
[[nodiscard]] std::string lines_of(std::vector<std::string> const& sentences);

/// A single file as a string, several as a list.
[[nodiscard]] Json files_json(std::vector<std::string> const& files);

/// `keyswap check --operation multisplit`.
[[nodiscard]] Expected<ExitCode> check_multisplit(CheckOptions const& options,
                                                  CheckFiles const& files);

/// `keyswap check --by`: checks rows of tables. \pre `input` and `output` are set; without an input
/// only the order is checked
[[nodiscard]] Expected<ExitCode> check_rows_of_files(CheckOptions const& options);

/// `keyswap check --record-bytes`: compares two sides, or checks one's order. \pre `output` is set
[[nodiscard]] Expected<ExitCode> check_records(CheckOptions const& options);

/// Prints "Taken for a header: ..." for each, one per line.
void print_headers(std::vector<std::string> const& headers);

/// `keyswap check FILE`: checks the order of its keys. \pre exactly one file is named
[[nodiscard]] Expected<ExitCode> check_one_file(CheckOptions const& options);

} // namespace keyswap::tools
