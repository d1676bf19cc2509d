#include "model/keys/counter_generator.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/number_option.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/record/foreign_check.hpp"
#include "tools/record/foreign_trace.hpp"
#include "tools/record/held_signals.hpp"
#include "tools/report/repeat_command.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/format/trace_writer.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;
using conformance::ForeignFailure;
using conformance::ForeignReport;
using conformance::ForeignRuns;

struct RecordOptions {
    std::optional<std::string> library;
    std::string function = "sort";
    std::optional<std::string> command;
    std::string distribution = "uniform";
    std::optional<double> parameter;
    std::uint64_t key_count = 1'000'000;
    std::uint64_t seed = 1;
    std::string type = "u32";
    std::string direction = "ascending";
    std::string zero_order = "total";
    std::string values = "none";
    bool stable = false;
    std::uint64_t runs = 1;
    double timeout_s = 60;
    std::string folder = "keyswap-record";
    std::optional<std::string> trace;
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--library", library}}, {{"--record", trace}}, json ? "--json" : "", existing};
    }
};

std::optional<InputError> contradiction(RecordOptions const& options) {
    if (options.library.has_value() == options.command.has_value()) {
        return InputError{"--library and --command",
                          options.library ? "both say what is to be run" : "one of them is needed",
                          "for instance --library ./mysort.so"};
    }
    if (options.command && options.values != "none") {
        return InputError{
            "--command and --values", "values go to libraries only", "leave one of them out"};
    }
    if (options.stable && options.values == "none") {
        return InputError{"--stable", "only values can show it", "add --values 32"};
    }
    if (options.runs == 0) {
        return InputError{"--runs", "0 runs show nothing", "give at least 1"};
    }
    if (!std::isfinite(options.timeout_s)) { // which passes every comparison with a limit
        return InputError{"--timeout", "is not a number of seconds", "give at least 0.001"};
    }
    return std::nullopt;
}

Expected<ForeignRuns> resolved(RecordOptions const& options) {
    if (auto const error = contradiction(options)) {
        return tl::unexpected(*error);
    }
    auto const type = parse_key_type(options.type);
    auto const direction = parse_direction(options.direction);
    auto const zero_order = parse_zero_order(options.zero_order);
    auto const values = parse_value_type(options.values);
    if (!type || !direction || !zero_order || !values) {
        return tl::unexpected(!type         ? type.error()
                              : !direction  ? direction.error()
                              : !zero_order ? zero_order.error()
                                            : values.error());
    }
    auto const generator = model::KeyGenerator::make(
        {options.distribution, options.parameter, *type, options.key_count, options.seed});
    if (!generator) {
        return tl::unexpected(generator.error());
    }
    ForeignRuns runs;
    runs.library = options.library.value_or("");
    runs.function = options.function;
    runs.command = options.command.value_or("");
    runs.keys = generator->request();
    runs.direction = *direction;
    runs.zero_order = *zero_order;
    runs.value_type = *values;
    runs.stability = options.stable ? Stability::stable : Stability::unstable;
    runs.run_count = options.runs;
    runs.timeout = std::chrono::milliseconds(std::llround(options.timeout_s * 1000));
    runs.folder = std::filesystem::absolute(options.folder);
    return runs;
}

/// The command that makes the failing run again.
std::string repeat_text(RecordOptions const& options, ForeignFailure const& failure) {
    std::ostringstream text;
    text << "keyswap record "
         << (options.library ? "--library " + shell_word(*options.library)
                             : "--command " + shell_word(*options.command))
         << (options.function == "sort" ? "" : " --function " + shell_word(options.function))
         << " --distribution " << options.distribution;
    if (options.parameter) {
        text << " --parameter " << *options.parameter;
    }
    text << " --keys " << options.key_count << " --type " << options.type << " --direction "
         << options.direction << " --zero-order " << options.zero_order;
    if (options.values != "none") {
        text << " --values " << options.values << (options.stable ? " --stable" : "");
    }
    text << " --seed " << failure.seed;
    return text.str();
}

/// The last lines that the sort wrote, each as it may be shown on a terminal.
std::vector<std::string> last_lines(std::string const& words) {
    constexpr std::size_t lines_max = 5;
    std::vector<std::string> lines;
    std::istringstream text(words);
    for (std::string line; std::getline(text, line);) {
        if (!line.empty()) {
            lines.push_back(printable_text(line));
        }
    }
    if (lines.size() > lines_max) {
        lines.erase(lines.begin(), lines.end() - lines_max);
    }
    return lines;
}

void print_failure(RecordOptions const& options, ForeignFailure const& failure, std::ostream& out) {
    out << "First failure, seed " << failure.seed << ": " << to_string(failure.end.end)
        << (failure.end.detail.empty() ? "" : " (" + failure.end.detail + ")") << '\n';
    for (std::string const& sentence : failure.sentences) {
        out << "  " << sentence << '\n';
    }
    for (std::string const& line : last_lines(failure.end.last_words)) {
        out << "  it wrote: " << line << '\n';
    }
    auto const name = [](std::filesystem::path const& path) {
        return path.empty() ? std::string("none") : path.string();
    };
    out << "  input:  " << name(failure.input) << "\n  output: " << name(failure.output)
        << "\n  repeat: " << repeat_text(options, failure) << '\n';
}

void print_text(RecordOptions const& options,
                ForeignRuns const& runs,
                ForeignReport const& report) {
    std::ostream& out = options.files().text();
    out << "record: " << (options.library ? *options.library : *options.command) << ", "
        << format_count(runs.keys.key_count) << ' ' << to_string(runs.keys.key_type) << " keys, "
        << runs.keys.distribution << ", seeds " << runs.keys.seed << " to "
        << runs.keys.seed + report.run_count - 1 << ", " << to_string(runs.direction) << '\n'
        << rate_text(report) << '\n';
    for (auto const& [kind, count] : report.kinds) {
        out << "  " << count << " x " << kind << '\n';
    }
    if (report.left_running > 0) {
        out << "  " << report.left_running
            << (report.left_running == 1 ? " process was" : " processes were")
            << " left running and ended\n";
    }
    if (report.first) {
        print_failure(options, *report.first, out);
    }
}

Json failure_json(RecordOptions const& options, std::optional<ForeignFailure> const& failure) {
    if (!failure) {
        return nullptr;
    }
    return {{"seed", failure->seed},
            {"end", to_string(failure->end.end)},
            {"detail", failure->end.detail},
            {"last_words", failure->end.last_words},
            {"sentences", failure->sentences},
            {"input", failure->input.string()},
            {"output", failure->output.string()},
            {"repeat", repeat_text(options, *failure)}};
}

void print_result(RecordOptions const& options,
                  ForeignRuns const& runs,
                  ForeignReport const& report) {
    Json kinds = Json::object();
    for (auto const& [kind, count] : report.kinds) {
        kinds[kind] = count;
    }
    Json json = json_result("record",
                            {{"library", options.library.value_or("")},
                             {"function", options.function},
                             {"program", options.command.value_or("")},
                             {"keys", runs.keys.key_count},
                             {"type", to_string(runs.keys.key_type)},
                             {"direction", to_string(runs.direction)},
                             {"values", to_string(runs.value_type)},
                             {"distribution", runs.keys.distribution},
                             {"seed", runs.keys.seed},
                             {"generator_version", model::generator_version}});
    json.update(Json{{"holds", report.failure_count == 0},
                     {"runs", report.run_count},
                     {"interrupted", report.interrupted},
                     {"left_running", report.left_running},
                     {"failures", report.failure_count},
                     {"rate_95", {report.rate_95.lower, report.rate_95.upper}},
                     {"kinds", kinds},
                     {"first_failure", failure_json(options, report.first)}});
    print_json(json, std::cout);
}

/// The run as a trace: the first failing one, or the first one where all are right.
Expected<void>
write_trace(std::string const& path, ForeignRuns const& runs, ForeignReport const& report) {
    auto trace = TraceWriter::create(path);
    if (!trace) {
        return tl::unexpected(trace.error());
    }
    trace->write(conformance::header_of(runs, report));
    for (VerdictRecord const& verdict : conformance::recorded_verdicts(report)) {
        trace->write(verdict);
    }
    return trace->finish();
}

Expected<ExitCode> record(RecordOptions const& options) {
    if (auto const safe = check_files(options.files()); !safe) {
        return tl::unexpected(safe.error());
    }
    auto const runs = resolved(options);
    if (!runs) {
        return tl::unexpected(runs.error());
    }
    conformance::HeldSignals const held; // Ctrl-C takes effect at this function's end
    auto const report = conformance::run_foreign_sort(*runs);
    if (!report) {
        return tl::unexpected(report.error());
    }
    if (report->interrupted) {
        std::cerr << "keyswap: interrupted after " << report->run_count << " of " << runs->run_count
                  << (runs->run_count == 1 ? " run" : " runs") << std::endl;
        if (report->run_count == 0) {
            return ExitCode::could_not_run;
        }
    }
    if (options.trace) {
        if (auto const written = write_trace(*options.trace, *runs, *report); !written) {
            return tl::unexpected(written.error());
        }
    }
    if (options.json) {
        print_result(options, *runs, *report);
    } else {
        print_text(options, *runs, *report);
    }
    std::cout.flush();
    return report->failure_count == 0 ? ExitCode::fine : ExitCode::violation;
}

} // namespace

void add_record_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "record", "Run a sort that somebody else wrote, again and again, and check every output");
    auto const options = std::make_shared<RecordOptions>();
    command.add_option("--library",
                       options->library,
                       "Shared library with int sort(void* keys, uint64_t n, char const* type, "
                       "void* values, uint64_t value_bytes); it runs in a process of its own");
    command.add_option("--function", options->function, "Its name in the library")
        ->capture_default_str();
    command.add_option("--command",
                       options->command,
                       "Command of the shell; {input} and {output} become names of files of raw "
                       "keys, in letters that need no quotes");
    command.add_option("--distribution", options->distribution, "See 'keyswap distributions'")
        ->capture_default_str();
    command.add_option("--parameter", options->parameter, "Of the distribution");
    add_count_option(command, "--keys", options->key_count, "Keys of each run");
    command.add_option("--seed", options->seed, "Of the first run; later ones count up")
        ->capture_default_str();
    command.add_option("--type", options->type, "u32, u64, i32, i64, f32 or f64")
        ->capture_default_str();
    command.add_option("--direction", options->direction, "ascending or descending")
        ->capture_default_str();
    command
        .add_option("--zero-order",
                    options->zero_order,
                    "total (-0.0 before +0.0) or equal (either order is sorted)")
        ->capture_default_str();
    command
        .add_option("--values",
                    options->values,
                    "none, 32 or 64: bits of the input index that travels with each key")
        ->capture_default_str();
    command.add_flag("--stable", options->stable, "Equal keys have to stay in input order");
    add_count_option(command, "--runs", options->runs, "Runs, each of other keys");
    command.add_option("--timeout", options->timeout_s, "Seconds that a run may take")
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    command
        .add_option(
            "--folder", options->folder, "In which each call makes a folder for files of its own")
        ->capture_default_str();
    command.add_option("--record", options->trace, "File for a trace of the runs");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, record);
}

} // namespace keyswap::tools
