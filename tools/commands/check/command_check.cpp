#include "model/partition/bucket_rule_text.hpp"
#include "tools/commands/check/check_fields.hpp"
#include "tools/commands/check/check_request.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/accept_only.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

/// Results for keys and, if given, for values.
struct Findings {
    model::OutputCheck keys;
    std::optional<model::ValueCheck> values;
    bool needs_stability = false;

    [[nodiscard]] bool holds() const {
        return keys.holds() && values_hold(values, needs_stability);
    }
    /// Test cases for order, keys and values; a failed one contains all findings.
    [[nodiscard]] std::vector<JunitCase> junit_cases() const {
        std::string const found = lines_of(sentences(keys));
        std::vector<JunitCase> cases{
            checked_case("sorted", keys.sorted(), std::string(to_string(keys.order.shape)), found),
            checked_case(
                "permutation", keys.permutation(), "lost, doubled or changed keys", found)};
        std::ranges::move(value_cases(values, needs_stability, "Equal keys are"),
                          std::back_inserter(cases));
        return cases;
    }
    [[nodiscard]] std::vector<std::string> value_sentences() const {
        return tools::value_sentences(values, needs_stability, "Equal keys are");
    }
};

Json asked_json(CheckOptions const& options, model::OutputCheck const& check) {
    return {{"input", files_json(options.input)},
            {"output", files_json(options.output)},
            {"type", model::stored_type_name(check.key_type, check.narrow_type)},
            {"direction", options.direction},
            {"format", options.format},
            {"gpu_count", document(options.gpu_count)},
            {"zero_order", options.zero_order},
            {"nan_order", options.nan_order},
            {"hash_seed", check.hash_seed}};
}

/// Sets `input` and `output` from positional files.
Expected<CheckOptions> with_named_files(CheckOptions options) {
    bool const named = !options.input.empty() || !options.output.empty();
    if (named && !options.files.empty()) {
        return input_error("'" + options.files.front() + "' and " +
                               (options.input.empty() ? "--output" : "--input"),
                           "both name files",
                           "write 'keyswap check INPUT OUTPUT', or give --input and "
                           "--output");
    }
    if (!options.files.empty()) {
        options.input = {options.files.front()};
        options.output.assign(options.files.begin() + 1, options.files.end());
    }
    if (options.input.empty() || options.output.empty()) {
        return input_error("check",
                           "needs the keys before the sort and those after it",
                           "write 'keyswap check INPUT OUTPUT', or 'keyswap check "
                           "FILE' to check the order of one file");
    }
    auto const streams = std::ranges::count_if(options.input, is_standard_input) +
                         std::ranges::count_if(options.output, is_standard_input);
    if (streams > 1) {
        return input_error("'-'",
                           "is named " + std::to_string(streams) +
                               " times, but standard input can be read only once",
                           "write the names of the other files");
    }
    return options;
}

/// Returns an error if an option does not apply to the operation.
Expected<void> check_conflicts(CheckOptions const& options) {
    bool const is_sort = options.operation == "sort";
    auto const foreign =
        first_given(*options.command,
                    is_sort ? "--rule --buckets --starts"
                            : "--direction --gpu-count --hash-seed --zero-order --nan-order");
    if (foreign) {
        return input_error(*foreign + " and --operation " + options.operation,
                           is_sort ? "a sort has no buckets" : "a bucket has no order of its own",
                           is_sort ? "give --operation multisplit, or leave it out"
                                   : "leave it out");
    }
    if (is_sort && options.stable && !options.values) {
        return input_error("--stable", "only values can show it", "give the sorted --values");
    }
    if (options.value_bits && !options.values) {
        return input_error("--value-bits", "there are no values", "give --values, or leave it out");
    }
    return {};
}

Expected<ExitCode> check_sort(CheckOptions const& options, CheckFiles const& files) {
    KEYSWAP_TRY(auto resolved_options, output_check_options(options));
    KEYSWAP_RETURN_IF_ERROR(check_float_orders(resolved_options, resolved_options.input.key_type));
    KEYSWAP_TRY(auto const keys, [&] {
        Progress progress("checking", 0);
        resolved_options.on_keys_read = progress.steps();
        return model::check_outputs(files.inputs, files.outputs, resolved_options);
    }());
    KEYSWAP_RETURN_IF_ERROR(check_float_orders(resolved_options, keys.key_type));
    KEYSWAP_TRY(auto const values, check_values(options, files, resolved_options));
    Findings const findings{keys, values, options.stable};
    return end_check(
        options,
        findings.holds(),
        findings.junit_cases(),
        [&] { return check_document(asked_json(options, keys), keys, values, options.stable); },
        [&] {
            print_check_header(
                options,
                std::string(model::stored_type_name(keys.key_type, keys.narrow_type)) + ", " +
                    options.direction);
            print_headers(keys.headers);
            std::cout << lines_of(sentences(keys)) << lines_of(findings.value_sentences());
        });
}

/// True if exactly one file is named, without a counterpart.
bool names_one_file(CheckOptions const& options) {
    return options.files.size() == 1 && options.input.empty() && options.output.empty();
}

/// Returns an error if an option does not apply to rows, or to keys.
Expected<void> check_row_conflicts(CheckOptions const& options) {
    if (!options.by) {
        return options.schema ? input_error("--schema",
                                            "gives the types of tables' columns, and "
                                            "there are no key columns",
                                            "name them: --by region,amount:desc")
                              : Expected<void>{};
    }
    std::string allowed = "--help files --input --output --by --schema --stable --zero-order "
                          "--nan-order --hash-seed --threads --junit --force --json";
    allowed += options.format == "csv" ? " --format" : "";
    auto const given = first_given_but(*options.command, allowed);
    if (!given) {
        return {};
    }
    std::string const& option = *given;
    return input_error("--by and " + option,
                       "--by checks rows of tables, and " + option + " applies to files of keys",
                       option == "--type"        ? "give the columns' types as --schema name:type"
                       : option == "--direction" ? "write the direction after the column: --by "
                                                   "amount:desc"
                                                 : "leave one of them out");
}

Expected<ExitCode> check(CheckOptions const& given) {
    bool const is_records = given.records.bytes || given.records.key;
    if (!is_records) {
        KEYSWAP_RETURN_IF_ERROR(check_row_conflicts(given));
    }
    if ((given.by || is_records) && names_one_file(given)) {
        CheckOptions one = given;
        one.output = std::exchange(one.files, {});
        return is_records ? check_records(one) : check_rows_of_files(one);
    }
    if (names_one_file(given)) {
        return check_one_file(given);
    }
    KEYSWAP_TRY(auto const options, with_named_files(given));
    if (is_records) {
        return check_records(options);
    }
    if (options.by) {
        return check_rows_of_files(options);
    }
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    KEYSWAP_RETURN_IF_ERROR(check_files(options.named()));
    KEYSWAP_TRY(auto const inputs, readable_paths(options.input));
    KEYSWAP_TRY(auto const outputs, readable_paths(options.output));
    CheckFiles const files{{inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}};
    return options.operation == "sort" ? check_sort(options, files)
                                       : check_multisplit(options, files);
}

/// Adds the options for the files of both sides, and for the origin of the output.
void add_file_options(CLI::App& command, CheckOptions& options) {
    command.add_option(
        "files",
        options.files,
        "Keys before the sort, then keys after it: one file, or one per GPU in order; one of them "
        "may be '-', standard input. A single file is checked for its order");
    command.add_option(
        "--input", options.input, "Keys before the sort; several files count as one input");
    command.add_option(
        "--output", options.output, "Keys after the sort; several files, one per GPU, in order");
    accept_only(*command
                     .add_option("--operation",
                                 options.operation,
                                 "Operation that made the output: sort or multisplit")
                     ->capture_default_str(),
                {"sort", "multisplit"});
    command.add_option(
        "--rule", options.rule, "Rule of a multisplit: " + std::string(model::bucket_rule_forms));
    command.add_option("--buckets",
                       options.buckets,
                       "Number of buckets of a multisplit; required by delta and hash");
    command.add_option("--starts",
                       options.starts,
                       "File with the first index of each bucket of a multisplit (u64)");
    command
        .add_option("--values",
                    options.values,
                    "File of the values after the sort, which are the keys' indices in the "
                    "input: raw, or .npy of integers as numpy.argsort returns")
        ->type_name("FILE");
    accept_only(
        *command.add_option("--value-bits", options.value_bits, "32 or 64")->default_str("32"),
        {"32", "64"});
    command.add_flag("--stable",
                     options.stable,
                     "Equal keys, or the keys of a bucket, must keep their input order");
}

/// Adds the options for reading files as keys, rows of tables or records.
void add_reading_options(CLI::App& command, CheckOptions& options) {
    command.add_option("--type",
                       options.type,
                       "u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, u128, i128 or "
                       "b128; not needed for .npy");
    command.add_option("--direction", options.direction, "ascending (default) or descending");
    command
        .add_option(
            "--format", options.format, "auto (from file names and first bytes), raw, npy or csv")
        ->capture_default_str();
    command.add_option("--column",
                       options.column,
                       "CSV column of the input: its name in the header, or its number from 1");
    command.add_option("--output-column",
                       options.output_column,
                       "CSV column of the output (default: --column, or the only column)");
    command.add_option(
        "--by",
        options.by,
        "Check rows of tables (CSV, .npy, .npz), sorted by these columns: "
        "region,amount:desc:nulls-first. Nulls are last by default; quote a name that has a comma "
        "or colon");
    command.add_option("--schema",
                       options.schema,
                       "Types of the tables' columns, name:type,...: int64, uint8, double, bool, "
                       "decimal(12,2), date, timestamp[us], string, binary; guessed by default; "
                       ".npy and .npz have their own");
    add_record_options(command, options.records);
}

/// Adds the options for the expected order and for the comparison of keys.
void add_order_options(CLI::App& command, CheckOptions& options) {
    command
        .add_option("--gpu-count",
                    options.gpu_count,
                    "Number of GPUs of the sort, to recognise faults at chunk borders")
        ->check(CLI::Range(1U, 1024U));
    command.add_option("--zero-order",
                       options.zero_order,
                       "total (default: -0.0 before +0.0) or equal (either order is sorted)");
    command.add_option(
        "--nan-order",
        options.nan_order,
        "total (default: by sign and bits, at both ends), first or last (in any order)");
    command.add_option("--hash-seed",
                       options.hash_seed,
                       "Seed of the hash that compares the keys of both sides; random by default, "
                       "so that no file can be crafted to collide");
    command.add_option("--threads", options.threads, "Number of threads; 0: one per core")
        ->capture_default_str();
}

} // namespace

Json check_document(Json config,
                    model::OutputCheck const& keys,
                    std::optional<model::ValueCheck> const& values,
                    bool stable) {
    Findings const findings{keys, values, stable};
    Json json = json_result("check", std::move(config));
    json.update(Json{{"holds", findings.holds()},
                     {"sorted", keys.sorted()},
                     {"permutation", keys.permutation()},
                     {"input", document(keys.input_fingerprint)},
                     {"output", document(keys.output_fingerprint)},
                     {"order", document(keys.order)},
                     {"lost", document(keys.lost)},
                     {"gained", document(keys.gained)},
                     {"values", document(keys.values)},
                     {"guess", document(keys.guess)},
                     {"headers", keys.headers},
                     {"pairs", values_json(values, findings.value_sentences())},
                     {"sentences", sentences(keys)}});
    return json;
}

void add_check_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "check",
        "Check that a file is a sorted permutation of another, or its keys ordered by bucket, or "
        "that a single file is sorted; explain what is wrong if not");
    auto const options = std::make_shared<CheckOptions>();
    options->command = &command;
    add_file_options(command, *options);
    add_reading_options(command, *options);
    add_order_options(command, *options);
    command.add_option("--junit", options->junit, "Write the results here as JUnit XML");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, check);
}

} // namespace keyswap::tools
