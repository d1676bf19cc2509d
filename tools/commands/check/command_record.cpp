#include "tools/commands/check/record_request.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/number_option.hpp"
#include "tools/record/case_keys.hpp"
#include "tools/record/process/deferred_signals.hpp"
#include "tools/text/progress.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/publication.hpp"
#include "traces/format/trace_writer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <unistd.h>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

using conformance::ThirdPartyReport;
using conformance::ThirdPartyRuns;
using Cases = std::vector<conformance::ThirdPartyCase>;

/// Writes a trace of the shown failure, or of the first run if none failed.
Expected<void>
write_trace(RecordOptions const& options, ThirdPartyRuns const& runs, RecordResult const& result) {
    Cases const& cases = result.cases;
    KEYSWAP_TRY(auto trace, TraceWriter::create(*options.trace));
    trace.write(conformance::header_of(runs, cases));
    for (VerdictRecord const& verdict :
         conformance::recorded_verdicts(cases, failure_record(options, result))) {
        trace.write(verdict);
    }
    return trace.finish();
}

/// Progress line on a terminal, printed between runs. Not by a thread: sorts are forked from this
/// process, which must be single-threaded.
class RunProgress {
  public:
    explicit RunProgress(std::uint64_t run_count)
        : run_count_(run_count), on_(::isatty(STDERR_FILENO) == 1) {}
    RunProgress(RunProgress const&) = delete;
    RunProgress& operator=(RunProgress const&) = delete;
    ~RunProgress() {
        if (drawn_) {
            std::cerr << "\r\x1b[K" << std::flush;
        }
    }

    void advance() {
        ++done_;
        auto const now = std::chrono::steady_clock::now();
        ProgressDisplay const display;
        if (on_ && now - start_ > display.delay && now - last_ > display.interval) {
            constexpr std::size_t width = 72;
            std::cerr << '\r'
                      << progress_line(
                             "runs",
                             done_,
                             run_count_,
                             std::chrono::duration_cast<std::chrono::milliseconds>(now - start_),
                             width)
                      << "\x1b[K" << std::flush;
            last_ = now;
            drawn_ = true;
        }
    }

  private:
    std::uint64_t run_count_;
    bool on_;
    bool drawn_ = false;
    std::uint64_t done_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_ = start_;
};

/// Runs all cases in sequence, until the requested number of failures is reached.
Expected<Cases> run_cases(ThirdPartyRuns runs,
                          std::vector<model::KeyRequest> const& keys,
                          RecordOptions const& options) {
    RunProgress progress(runs.run_count * keys.size());
    runs.on_run = [&progress] { progress.advance(); };
    Cases cases;
    std::uint64_t failures = 0;
    for (model::KeyRequest const& of_one : keys) {
        runs.keys = of_one;
        if (options.stop_after) {
            runs.failure_count_max = *options.stop_after - failures;
        }
        KEYSWAP_TRY(auto report, conformance::run_third_party_sort(runs));
        failures += report.failure_count;
        cases.push_back({of_one, std::move(report)});
        bool const enough = options.stop_after && failures >= *options.stop_after;
        if (enough || cases.back().report.interrupted) {
            break;
        }
    }
    return cases;
}

/// Repeats the shown failure, and shrinks its keys if requested.
Expected<void>
look_at_failure(ThirdPartyRuns runs, RecordOptions const& options, RecordResult& result) {
    auto const shown = std::ranges::find_if(result.cases, [&](auto const& one) {
        return &one == &conformance::shown_case(result.cases);
    });
    ThirdPartyReport& report = shown->report;
    if (!report.first || conformance::DeferredSignals::waiting()) {
        return {};
    }
    runs.keys = shown->keys;
    bool const same_keys =
        runs.keys_of_runs == conformance::KeysOfRuns::same || conformance::zoo_entry_of(runs.keys);
    if (same_keys && report.run_count > 1) {
        report.again = {report.run_count, report.failure_count};
    } else {
        KEYSWAP_TRY(report.again, conformance::run_same_keys_again(runs, *report.first));
    }
    if (options.shrink) {
        KEYSWAP_TRY(result.shrunk,
                    conformance::shrink_failure(
                        runs,
                        *report.first,
                        std::chrono::milliseconds(std::llround(options.shrink_s * 1000))));
    }
    return {};
}

Expected<ExitCode> record(RecordOptions const& options) {
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    KEYSWAP_TRY(auto const runs, resolved_runs(options));
    KEYSWAP_TRY(auto const keys, resolved_keys(options, runs));
    conformance::DeferredSignals const held; // delays Ctrl-C to the end of this function
    KEYSWAP_TRY(auto cases, run_cases(runs, keys, options));
    RecordResult result{std::move(cases), std::nullopt};
    KEYSWAP_RETURN_IF_ERROR(look_at_failure(runs, options, result));
    ThirdPartyReport const sum = sum_of(result.cases);
    if (sum.interrupted) {
        std::uint64_t const wanted = runs.run_count * keys.size();
        std::cerr << "keyswap: interrupted after " << sum.run_count << " of " << wanted
                  << (wanted == 1 ? " run" : " runs") << std::endl;
        if (sum.run_count == 0) {
            return ExitCode::could_not_run;
        }
    }
    if (options.trace) {
        KEYSWAP_RETURN_IF_ERROR(write_trace(options, runs, result));
    }
    if (options.junit) {
        KEYSWAP_RETURN_IF_ERROR(write_record_junit(options, result));
    }
    // A pending interrupt will end this function, so files are published before.
    if (Publication* const outputs = Publication::active()) {
        KEYSWAP_RETURN_IF_ERROR(outputs->publish());
    }
    if (options.json) {
        print_record_json(options, result);
    } else {
        print_record_text(options, result);
    }
    std::cout.flush();
    return sum.failure_count == 0 ? ExitCode::fine : ExitCode::violation;
}

/// Adds the options for the sort to run.
void add_subject_options(CLI::App& command, RecordOptions& options) {
    command.add_option("--library",
                       options.library,
                       "Shared library with int sort(void* keys, uint64_t n, char const* type, "
                       "void* values, uint64_t value_bytes); it runs in a process of its own");
    command.add_option("--function", options.function, "Name of the function in the library")
        ->default_str(record_function_default);
    command.add_option("--command",
                       options.command,
                       "Shell command; {input} and {output} are replaced by names of files of raw "
                       "keys, which need no quotes");
}

/// Adds the options for the keys of the runs, and for the definition of correct output.
void add_case_options(CLI::App& command, RecordOptions& options) {
    auto* const distribution = command
                                   .add_option("--distribution",
                                               options.distributions,
                                               "Distributions, separated by commas, as "
                                               "uniform,zipf=0.75; see 'keyswap distributions'")
                                   ->delimiter(',')
                                   ->allow_extra_args(false)
                                   ->default_str("uniform");
    auto* const parameter =
        command.add_option("--parameter", options.parameter, "Parameter of the distribution");
    auto* const keys =
        command
            .add_option("--keys",
                        options.key_counts,
                        "Keys per run; several counts, separated by commas, are tried in turn")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->type_name("COUNT")
            ->default_str("1000000");
    auto* const input =
        command
            .add_option("--input", options.input, "Use the keys of this file in every run instead")
            ->excludes(distribution)
            ->excludes(parameter)
            ->excludes(keys);
    command
        .add_option("--zoo",
                    options.zoo,
                    "Use inputs that broke real sorts instead, one case each: all of the key type, "
                    "or the named ones, separated by commas")
        ->expected(0, 1)
        ->type_name("NAMES")
        ->default_str("all")
        ->excludes(distribution)
        ->excludes(parameter)
        ->excludes(keys)
        ->excludes(input);
    command
        .add_option(
            "--seed", options.seed, "Seed of the first run of each case; later runs count up")
        ->capture_default_str();
    command.add_option("--type", options.type, key_type_list(narrow_key_types, " or "))
        ->capture_default_str();
    command.add_option("--direction", options.direction, "ascending or descending")
        ->capture_default_str();
    command
        .add_option("--zero-order",
                    options.zero_order,
                    "total (-0.0 before +0.0) or equal (either order is sorted)")
        ->capture_default_str();
    command
        .add_option("--values",
                    options.values,
                    "Bits of the input index that travels with each key: none, 32 or 64")
        ->capture_default_str();
    command.add_flag("--stable", options.stable, "Equal keys must keep their input order");
}

/// Adds the options for the number, duration and place of the runs.
void add_run_options(CLI::App& command, RecordOptions& options) {
    auto* const runs =
        add_count_option(command,
                         "--runs",
                         options.runs,
                         "Runs per distribution and key count, each with other keys");
    add_count_option(command,
                     "--same-keys",
                     options.same_keys,
                     "Runs per distribution and key count, all with the same keys: how often does "
                     "an intermittent failure show?")
        ->excludes(runs);
    auto* const shrink =
        command.add_flag("--shrink",
                         options.shrink,
                         "Search for the fewest keys that still fail, and write them to a file");
    command.add_option("--shrink-seconds", options.shrink_s, "Time limit of --shrink, in seconds")
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str()
        ->needs(shrink);
    add_count_option(command, "--stop-after", options.stop_after, "Stop after this many failures");
    command.add_option("--jobs", options.jobs, "Runs in parallel, which affects their times")
        ->check(CLI::Range(1U, 1024U))
        ->capture_default_str();
    command.add_option("--timeout", options.timeout_s, "Time limit of a run, in seconds")
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    command
        .add_option(
            "--folder", options.folder, "Folder in which each call creates a folder for its files")
        ->type_name("DIR")
        ->capture_default_str();
}

} // namespace

void add_record_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("record", "Run your own sort repeatedly and check every output");
    auto const options = std::make_shared<RecordOptions>();
    add_subject_options(command, *options);
    add_case_options(command, *options);
    add_run_options(command, *options);
    command.add_option("--record", options->trace, "Write a trace of the runs here");
    command.add_option("--junit", options->junit, "Write the results here as JUnit XML");
    add_force_option(command, options->existing);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, record);
}

} // namespace keyswap::tools
