#include "kernels/cpu/cpu_sort.hpp"
#include "model/ranks/rank_files.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/sort/sort_command.hpp"
#include "tools/commands/sort/sort_outcome.hpp"
#include "tools/options/algorithm_options.hpp"
#include "tools/options/exclude_options.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/command_files.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace keyswap::tools {

Expected<void> check_conflicts(SortCommand const& options) {
    if (options.output_values && options.sort.values == "none") {
        return input_error("--output-values and --values",
                           "there are no values to write",
                           "give --values 32 or --values 64");
    }
    if (options.sort.values != "none" && options.sort.zero_order == "equal") {
        return input_error("--values and --zero-order equal",
                           "the reference cannot keep each zero's sign with its value",
                           "leave one of them out");
    }
    if (options.runs_on.backend != "reference" && (options.detail.buckets || options.detail.all)) {
        return input_error("--buckets and --all",
                           "show the reference's plan, which --backend " + options.runs_on.backend +
                               " does not make",
                           "leave them out, or give --record");
    }
    if (options.record && options.sort.input && is_standard_input(*options.sort.input)) {
        return input_error("--record and '-'",
                           "a trace names the file of its keys, but standard input has no name",
                           "write the keys to a file");
    }
    if (options.output_format && !options.output) {
        return input_error("--output-format", "has no effect without --output", "leave it out");
    }
    return {};
}

namespace {

void print_rank_account(SortRequest const& request, RankAccount const& account, std::ostream& out) {
    auto const [least, most] = std::ranges::minmax(account.owned);
    out << "sort: " << config_text(request) << '\n'
        << counted(account.owned.size(), "rank") << ", "
        << counted(account.passes, "pass", "passes") << "; a rank owns " << grouped_count(least)
        << " to " << grouped_count(most) << " keys\n"
        << "Sorted by ranks in " << printed("%.2f", account.seconds) << " s"
        << (account.transport.empty() ? "" : " on GPUs, keys moved by " + account.transport)
        << " and checked:";
}

Json rank_account_json(RankAccount const& account) {
    Json json{
        {"ranks", account.owned.size()}, {"passes", account.passes}, {"owned", account.owned}};
    if (!account.transport.empty()) {
        json["transport"] = account.transport;
    }
    return json;
}

/// Returns an error if an option contradicts --ranks.
Expected<void> check_rank_conflicts(SortCommand const& options) {
    if (options.runs_on.is_cpu()) {
        return input_error("--ranks and --backend cpu",
                           "ranks sort by the reference, or on GPUs",
                           "leave one of them out");
    }
    if (options.sort.gpu_count) {
        return input_error(
            "--ranks and --gpu-count", "both specify the number of parts", "leave --gpu-count out");
    }
    if (options.detail.buckets || options.detail.all) {
        return input_error("--buckets and --all",
                           "show the plan of one process",
                           "leave them out, or give --record and 'keyswap verify --ranks'");
    }
    return {};
}

Expected<ExitCode> sort_with_others(SortCommand const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_rank_conflicts(options));
    KEYSWAP_RETURN_IF_ERROR(check_backend_choice(options.runs_on));
    KEYSWAP_TRY(auto request, resolve(options.sort));
    if (options.unstable) {
        request.config.stability = Stability::unstable;
    }
    KEYSWAP_RETURN_IF_ERROR(check_conflicts(options));
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    return sort_by_ranks(request,
                         options.runs_on,
                         options,
                         [&](SortRequest const& done, RankAccount const& account) {
                             SortOutcome const outcome{account.verdicts, account.seconds};
                             if (options.json) {
                                 print_sort_result(
                                     done, outcome, account.content, rank_account_json(account));
                             } else {
                                 print_rank_account(done, account, options.files().text());
                                 print_verdicts(outcome, options.files().text());
                             }
                         });
}

/// Returns an error if options do not apply to table rows, or if a required one is missing.
Expected<void> check_row_conflicts(SortCommand const& options) {
    SortArguments const& sort = options.sort;
    auto given = first_given(*options.command, "--backend=cuda");
    if (!given) {
        given = first_given_but(*options.command,
                                "--help --input --format --with-rows --by --schema --output "
                                "--backend --threads --unstable --force --json");
    }
    if (!given && sort.algorithm.name) { // even the default: rows have another one
        given = "--algorithm " + *sort.algorithm.name;
    }
    if (given) {
        std::string const& option = *given;
        return input_error("--with-rows and " + option,
                           "rows of a table are sorted by --by, in this machine's memory",
                           option == "--direction" ? "write the direction after the column: --by "
                                                     "amount:desc"
                           : option == "--column"  ? "name the key columns as --by"
                           : option == "--type"    ? "give the columns' types as --schema name:type"
                                                   : "leave one of them out");
    }
    if (!sort.input || !options.output || !options.by) {
        return input_error("--with-rows",
                           std::string("needs ") + (!sort.input       ? "the table's file"
                                                    : !options.output ? "a file for the sorted rows"
                                                                      : "the key columns"),
                           "write 'keyswap sort TABLE.csv --with-rows --by "
                           "region,amount:desc --output SORTED.csv'");
    }
    if (sort.format && *sort.format != "csv" && *sort.format != "auto") {
        return input_error("--with-rows and --format " + *sort.format,
                           "rows are read from CSV, and from .npy by its first bytes",
                           "leave --format out, or give --format csv");
    }
    return {};
}

Expected<ExitCode> sort_with_rows(SortCommand const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_row_conflicts(options));
    return sort_table(options);
}

/// Option that external sorts do not support, if one is given.
std::optional<std::string> in_memory_option(SortCommand const& options) {
    auto const& algorithm = options.sort.algorithm;
    bool const gpus = options.runs_on.is_cuda();
    auto const given = first_given_but(
        *options.command,
        "--help --input more --format --column --type --direction --algorithm --backend --threads "
        "--unstable --ranks --rank-timeout --output --output-format --output-parts --record "
        "--memory --gpu-memory --scratch --record-bytes --key --force --json " +
            (gpus ? "--gpu-count --gpus --variant " + parameter_option_names() : std::string()));
    return given || gpus || algorithm.name.value_or("buffered-radix") == "buffered-radix"
               ? given
               : "--algorithm " + algorithm.named();
}

/// True if a file's keys exceed the memory of the selected GPUs; false on any error, which the
/// in-memory sort then reports.
bool exceeds_gpus(SortCommand const& options) {
    auto const compared = [&]() -> Expected<bool> {
        SortArguments arguments = options.sort;
        KEYSWAP_TRY(auto const devices, resolve_gpus(options.runs_on.without_threads(), arguments));
        KEYSWAP_TRY(auto request, resolve(arguments));
        KEYSWAP_TRY(auto const file, open_keys(request));
        request.config.key_type = file->key_type();
        KEYSWAP_TRY(auto const kernel, kernel_options(request, devices));
        KEYSWAP_TRY(auto const most, cuda::keys_that_fit(kernel, std::nullopt));
        return file->key_count().value_or(0) > most;
    };
    return options.runs_on.is_cuda() && compared().value_or(false);
}

/// Reason for a sort on files: an option, or a file too large for memory; nullopt if none.
std::optional<std::string> external_reason(SortCommand const& options) {
    if (auto const given =
            first_given(*options.command,
                        "--memory --gpu-memory --scratch --record-bytes --key --output-parts")) {
        return given;
    }
    if (!options.more_inputs.empty()) {
        return "several inputs";
    }
    constexpr std::uint64_t copies = 2; // keys and scratch space
    bool const possible = options.sort.input && options.output && !in_memory_option(options) &&
                          !options.runs_on.has_ranks() && !is_standard_input(*options.sort.input) &&
                          !is_standard_output(*options.output);
    return possible && (exceeds_memory(*options.sort.input, copies) || exceeds_gpus(options))
               ? std::optional<std::string>("size")
               : std::nullopt;
}

/// Returns an error if the options do not allow an external sort by ranks.
Expected<void> check_external_ranks(SortCommand const& options) {
    if (options.runs_on.is_cuda()) {
        return input_error("--ranks and --backend cuda",
                           "external sorts by ranks run on cores",
                           "leave one of them out");
    }
    if (!options.memory) {
        return input_error("--ranks",
                           "needs to know how much memory each rank may take",
                           "give it, for instance --memory 2G");
    }
    auto names = options.inputs();
    names.push_back(options.output.value_or(""));
    for (std::string const& name : names) {
        if (is_standard_input(name) || model::is_one_file_a_rank(name)) {
            return input_error("--ranks and " + display_name(name),
                               "external sorts by ranks read and write files that every rank sees",
                               "name such a file");
        }
    }
    return {};
}

Expected<ExitCode> sort_by_ranges(SortCommand const& options, std::string const& reason) {
    if (auto const other = in_memory_option(options)) {
        return input_error(reason + " and " + *other,
                           "external sorts read and write files, and run on this "
                           "machine's cores (buffered-radix) or its GPUs",
                           "leave one of them out");
    }
    if (options.gpu_memory && !options.runs_on.is_cuda()) {
        return input_error("--gpu-memory",
                           "limits GPUs, but none are requested",
                           "give --backend cuda, or leave it out");
    }
    if (!options.sort.input) {
        return input_error(reason, "needs a file to sort", "name the file");
    }
    bool const is_records = options.records.bytes.has_value();
    if (is_records && (options.sort.column || options.sort.format)) {
        return input_error(std::string("--record-bytes and ") +
                               (options.sort.column ? "--column" : "--format"),
                           "records are read from raw files",
                           "leave one of them out");
    }
    if (options.runs_on.has_ranks()) {
        KEYSWAP_RETURN_IF_ERROR(check_external_ranks(options));
    }
    return sort_larger_than_memory(options);
}

/// Resolves --values: anything but a width names a file, and values become indices.
Expected<SortCommand> with_values_file(SortCommand options) {
    constexpr std::array words{"none", "32", "64"};
    std::string const values = options.sort.values;
    std::error_code error;
    bool const names_file =
        values.find_first_of("./") != std::string::npos || std::filesystem::exists(values, error);
    if (std::ranges::count(words, values) > 0 || !names_file) {
        return options;
    }
    if (!options.output_values) {
        return input_error(
            "--values " + values, "would be sorted but not written", "give --output-values, too");
    }
    if (options.runs_on.has_ranks()) {
        return input_error("--values " + values + " and --ranks",
                           "ranks carry only the keys' indices",
                           "give --values 32 or 64");
    }
    options.values_file = values;
    options.sort.values = "64";
    return options;
}

/// On the CPU, the default is one of its own sorts.
SortCommand with_default_algorithm(SortCommand options) {
    if (options.runs_on.backend == "cpu" && !options.sort.algorithm.name) {
        options.sort.algorithm.name = kernels::cpu_sorts().front();
    }
    return options;
}

/// Returns an error if an output's name has a place for a number that this sort does not fill in.
Expected<void> check_number_places(SortCommand const& options) {
    for (auto const& [place, option, is_filled] :
         {std::tuple{"{rank}", "--ranks", options.runs_on.has_ranks()},
          std::tuple{"{part}", "--output-parts", options.output_parts.has_value()}}) {
        for (auto const& file : {options.output, options.output_values, options.record}) {
            if (!is_filled && file && file->find(place) != std::string::npos) {
                return input_error(*file,
                                   std::string("has ") + place + ", which only " + option +
                                       " fills in",
                                   std::string("give ") + option + ", or another name");
            }
        }
    }
    return {};
}

Expected<ExitCode> sort(SortCommand const& given) {
    KEYSWAP_TRY(auto const options, with_values_file(given));
    KEYSWAP_RETURN_IF_ERROR(check_number_places(options));
    if (auto const reason = external_reason(options)) {
        return sort_by_ranges(options, *reason);
    }
    if (options.with_rows) {
        return sort_with_rows(options);
    }
    if (options.by || options.schema) {
        return input_error(options.by ? "--by" : "--schema",
                           "applies to the rows of a table",
                           "give --with-rows too, or name a column of keys as "
                           "--column");
    }
    if (options.runs_on.has_ranks()) {
        return sort_with_others(options);
    }
    return sort_in_memory(with_default_algorithm(options));
}

/// Adds the options for ranks, which share no memory.
void add_rank_options(CLI::App& command, SortCommand& options) {
    CLI::Option* const ranks = command.add_option(
        "--ranks",
        options.runs_on.ranks,
        "Sort by ranks that share no memory: 'mpi' under mpirun, or a number of "
        "threads; each reads its chunk, or a file of its own where the input's name "
        "has {rank} in it. With --memory, which each rank may take, they sort files "
        "of any size");
    command
        .add_option("--rank-timeout",
                    options.runs_on.rank_timeout_s,
                    "Seconds for which a rank waits for the others at a step")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{86400}))
        ->needs(ranks)
        ->capture_default_str();
}

/// Adds the options for output files.
void add_output_options(CLI::App& command, SortCommand& options) {
    command.add_option("--output",
                       options.output,
                       "File for the sorted keys; with {rank} in its name one file a rank");
    command.add_option(
        "--output-format", options.output_format, "auto (by the file's name), raw, npy or csv");
    command
        .add_option("--output-parts",
                    options.output_parts,
                    "Write so many files of equal parts, in order, as with --memory; {part} in the "
                    "output's name stands for their numbers. Each is complete when it appears")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{99'999}));
    command.add_option(
        "--output-values", options.output_values, "File for the values in the keys' order");
    command.add_option("--record",
                       options.record,
                       "Write a trace of the run here; compressed if the name ends in .gz or .zst");
}

/// Adds the options for rows of tables.
void add_row_options(CLI::App& command, SortCommand& options) {
    command.add_flag("--with-rows",
                     options.with_rows,
                     "Sort the rows of a table (CSV or .npy) by the columns of --by, equal keys in "
                     "their order, and write them as they are");
    command.add_option("--by",
                       options.by,
                       "Key columns of --with-rows: region,amount:desc:nulls-first. Nulls are last "
                       "by default; quote a name that has a comma or colon");
    command.add_option("--schema",
                       options.schema,
                       "Types of the table's columns, name:type,... as for 'keyswap check'; "
                       "guessed by default");
}

/// Adds the options for files of any size, and for files of records.
void add_external_options(CLI::App& command, SortCommand& options) {
    add_count_option(command,
                     "--memory",
                     options.memory,
                     "Memory for an external sort, which sorts files of any size range by range; "
                     "used automatically if the keys do not fit in the available memory");
    add_count_option(
        command,
        "--gpu-memory",
        options.gpu_memory,
        "Memory of each GPU for an external sort whose ranges they sort, with "
        "--backend cuda (default: what is free); used automatically if the keys fit in "
        "memory but not on the GPUs");
    command
        .add_option(
            "--scratch",
            options.scratch,
            "Folder for OUTPUT.scratch, which holds the ranges and lets an interrupted sort resume "
            "(default: the output's folder)")
        ->type_name("DIR");
    add_record_options(command, options.records);
}

} // namespace

void add_sort_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "sort",
        "Sort keys on virtual GPUs as planned, or on this machine's cores or GPUs, and check the "
        "result");
    auto const options = std::make_shared<SortCommand>();
    options->command = &command;
    add_sort_options(command, options->sort);
    command.add_option("more",
                       options->more_inputs,
                       "More files of keys or records, sorted into one output by an external sort");
    add_backend_choice(command, options->runs_on);
    command
        .add_option(
            "--values",
            options->sort.values,
            "Value that travels with each key: none, 32 or 64 (its index in the input, in so "
            "many bits), or a file of values, .npy or raw")
        ->capture_default_str();
    command.add_flag("--unstable",
                     options->unstable,
                     "Do not keep the order of equal keys, which is faster on GPUs");
    add_rank_options(command, *options);
    add_output_options(command, *options);
    add_row_options(command, *options);
    add_external_options(command, *options);
    add_force_option(command, options->existing);
    command.add_flag("--buckets", options->detail.buckets, "List the final buckets");
    command.add_flag("--all", options->detail.all, "List all rows of long tables");
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, sort);
}

} // namespace keyswap::tools
