#include "model/distributions/counter_generator.hpp"
#include "tools/commands/check/record_fields.hpp"
#include "tools/commands/check/record_request.hpp"
#include "tools/output/json_result.hpp"
#include "tools/record/case_keys.hpp"
#include "tools/report/repeat_command.hpp"
#include "tools/text/json.hpp"
#include "tools/text/junit.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/table.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <iostream>
#include <ranges>
#include <span>
#include <sstream>
#include <utility>

namespace keyswap::tools {

namespace {

using conformance::RunCounts;
using conformance::ShrunkFailure;
using conformance::ThirdPartyCase;
using conformance::ThirdPartyReport;
using conformance::ThirdPartyRun;

/// Options that name the sort.
std::string subject_text(RecordOptions const& options) {
    return (options.library ? "--library " + shell_word(*options.library)
                            : "--command " + shell_word(*options.command)) +
           (options.function ? " --function " + shell_word(*options.function) : "");
}

/// Options of the runs; after an intermittent failure also --same-keys, to reproduce it.
std::string asked_text(RecordOptions const& options, std::optional<RunCounts> const& again) {
    std::string text = " --type " + options.type + " --direction " + options.direction +
                       " --zero-order " + options.zero_order;
    if (options.values != "none") {
        text += " --values " + options.values + (options.stable ? " --stable" : "");
    }
    if (options.timeout_s != record_timeout_s_default) {
        text += " --timeout " + printed("%.17g", options.timeout_s);
    }
    if (options.folder != record_folder_default) {
        text += " --folder " + shell_word(options.folder);
    }
    if (again && again->is_intermittent()) {
        constexpr double certainty = 0.99;
        constexpr std::uint64_t fewest = 20;
        constexpr std::uint64_t most = 10'000;
        double const rate = static_cast<double>(std::max<std::uint64_t>(again->failure_count, 1)) /
                            static_cast<double>(again->run_count + 1);
        text += " --same-keys " +
                std::to_string(
                    std::clamp(conformance::runs_until_failure(rate, certainty), fewest, most));
    }
    return text;
}

/// Command that reproduces a run, with all its options.
std::string
repeat_text(RecordOptions const& options, ThirdPartyCase const& of, ThirdPartyRun const& run) {
    std::string text = "keyswap record " + subject_text(options);
    if (options.input) {
        text += " --input " + shell_word(*options.input);
    } else if (auto const entry = conformance::zoo_entry_of(of.keys)) {
        text += " --zoo " + std::string(*entry);
    } else {
        text += " --distribution " + of.keys.distribution;
        if (of.keys.parameter) {
            text += printed("=%.17g", *of.keys.parameter);
        }
        text += " --keys " + std::to_string(of.keys.key_count);
    }
    return text + asked_text(options, of.report.again) + " --seed " + std::to_string(run.seed);
}

/// Command that reproduces the failure on the smallest keys.
std::string smallest_text(RecordOptions const& options, ShrunkFailure const& shrunk) {
    return "keyswap record " + subject_text(options) + " --input " +
           shell_word(shrunk.run.input.string()) + asked_text(options, shrunk.again);
}

/// Last lines of the sort's output, made printable.
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

/// Prints how a run ended, and the errors of its output.
void print_run(ThirdPartyRun const& failure, std::ostream& out) {
    out << to_string(failure.end.end)
        << (failure.end.detail.empty() ? "" : " (" + failure.end.detail + ")") << '\n';
    for (std::string const& sentence : failure.sentences) {
        out << "  " << sentence << '\n';
    }
    for (std::string const& line : last_lines(failure.end.output_tail)) {
        out << "  it wrote: " << line << '\n';
    }
}

void print_files(ThirdPartyRun const& failure, std::string const& repeat, std::ostream& out) {
    auto const name = [](std::filesystem::path const& path) {
        return path.empty() ? std::string("none") : path.string();
    };
    out << "  input:  " << name(failure.input) << "\n  output: " << name(failure.output)
        << "\n  repeat: " << repeat << '\n';
}

void print_failure(RecordOptions const& options,
                   ThirdPartyCase const& of,
                   bool is_smallest_of_many,
                   std::ostream& out) {
    ThirdPartyRun const& failure = *of.report.first;
    out << (is_smallest_of_many ? "Failure of the fewest keys, " + conformance::case_text(of.keys)
                                : "First failure")
        << ", seed " << failure.seed << ": ";
    print_run(failure, out);
    if (of.report.again && of.report.again->run_count > 0) {
        out << "  the same keys: " << failures_text(*of.report.again) << " failed\n";
    }
    print_files(failure, repeat_text(options, of, failure), out);
}

void print_shrunk(RecordOptions const& options, ShrunkFailure const& shrunk, std::ostream& out) {
    constexpr double ns_per_s = 1e9;
    out << "Shrunk from " << counted(shrunk.keys_before, "key") << " to "
        << grouped_count(shrunk.keys_after) << " with " << counted(shrunk.run_count, "run")
        << " in " << printed("%.1f s", static_cast<double>(shrunk.time.count()) / ns_per_s) << " ("
        << shrinking_text(shrunk) << "): ";
    print_run(shrunk.run, out);
    if (!shrunk.keys.empty()) {
        out << "  keys:";
        for (std::string const& key : shrunk.keys) {
            out << ' ' << key;
        }
        out << '\n';
    }
    for (conformance::WrongPlace const& place : shrunk.run.places.first) {
        out << "  " << place_text(place) << '\n';
    }
    out << "  these keys: " << failures_text(shrunk.again) << " failed\n";
    print_files(shrunk.run, smallest_text(options, shrunk), out);
}

/// The published sort that failed on an input of the zoo, with the issue number.
std::string broken_sort(model::KeyRequest const& keys) {
    auto const entries = conformance::zoo_entries(keys.key_type);
    return std::ranges::find(
               entries, *conformance::zoo_entry_of(keys), &conformance::ZooEntry::name)
        ->source;
}

/// Origin of the keys of a single case.
std::string
keys_text(RecordOptions const& options, model::KeyRequest const& keys, std::uint64_t runs) {
    std::string const first = std::to_string(options.seed);
    if (options.input) {
        return "from " + *options.input;
    }
    if (options.zoo) {
        return keys.distribution;
    }
    return keys.distribution +
           (options.same_keys || runs == 1
                ? ", seed " + first
                : ", seeds " + first + " to " + std::to_string(options.seed + runs - 1));
}

/// Prints one line per case.
void print_cases(std::vector<ThirdPartyCase> const& cases, std::ostream& out) {
    Table const table({{"distribution", -20},
                       {"keys", 16},
                       {"runs", 9},
                       {"failures", 10},
                       {"rate, 95 % confidence", 22},
                       {"median in ms", 13}});
    out << table.header();
    constexpr double ns_per_ms = 1e6;
    for (auto const& [keys, report] : cases) {
        std::string const median =
            report.times
                ? printed("%.4g", static_cast<double>(report.times->median.count()) / ns_per_ms)
                : "-";
        std::string const rate = report.rate_95
                                     ? printed("%.2f", 100 * report.rate_95->lower) + " to " +
                                           printed("%.2f %%", 100 * report.rate_95->upper)
                                     : "-";
        out << table.row(keys.distribution,
                         grouped_count(keys.key_count),
                         report.run_count,
                         report.failure_count,
                         rate,
                         median);
    }
}

/// Prints one line per input of the zoo: the sort it broke, and the failures found now.
void print_zoo(std::vector<ThirdPartyCase> const& cases, std::ostream& out) {
    Table const table({{"input", -30},
                       {"which broke", -17, 1},
                       {"keys", 8},
                       {"runs", 7},
                       {"failures", 10},
                       {"what went wrong", -1, 2}});
    out << table.header();
    for (auto const& [keys, report] : cases) {
        out << table.row(*conformance::zoo_entry_of(keys),
                         broken_sort(keys),
                         grouped_count(keys.key_count),
                         grouped_count(report.run_count),
                         grouped_count(report.failure_count),
                         joined_text(report.kinds, "; ", [](auto const& counted_kind) {
                             return counted_kind.first;
                         }));
    }
}

Json again_json(std::optional<RunCounts> const& again) {
    return again && again->run_count > 0
               ? Json{{"runs", again->run_count}, {"failures", again->failure_count}}
               : Json(nullptr);
}

Json shrunk_json(RecordOptions const& options, std::optional<ShrunkFailure> const& shrunk) {
    if (!shrunk) {
        return nullptr;
    }
    constexpr double ns_per_ms = 1e6;
    return {{"keys_before", shrunk->keys_before},
            {"keys_after", shrunk->keys_after},
            {"minimal", shrunk->minimal},
            {"runs", shrunk->run_count},
            {"time_ms", static_cast<double>(shrunk->time.count()) / ns_per_ms},
            {"again", again_json(shrunk->again)},
            {"keys", shrunk->keys},
            {"end", to_string(shrunk->run.end.end)},
            {"detail", shrunk->run.end.detail},
            {"sentences", shrunk->run.sentences},
            {"input", shrunk->run.input.string()},
            {"output", shrunk->run.output.string()},
            {"repeat", smallest_text(options, *shrunk)}};
}

Json failure_json(RecordOptions const& options, ThirdPartyCase const& of) {
    auto const& failure = of.report.first;
    if (!failure) {
        return nullptr;
    }
    return {{"seed", failure->seed},
            {"distribution", of.keys.distribution},
            {"keys", of.keys.key_count},
            {"end", to_string(failure->end.end)},
            {"detail", failure->end.detail},
            {"last_words", failure->end.output_tail},
            {"sentences", failure->sentences},
            {"input", failure->input.string()},
            {"output", failure->output.string()},
            {"wrong_places", document(failure->places)},
            {"again", again_json(of.report.again)},
            {"repeat", repeat_text(options, of, *failure)}};
}

/// Counts common to all cases and to each case.
Json counts_json(ThirdPartyReport const& report) {
    Json kinds = Json::object();
    for (auto const& [kind, count] : report.kinds) {
        kinds[kind] = count;
    }
    return {{"runs", report.run_count},
            {"failures", report.failure_count},
            {"rate_95",
             report.rate_95 ? Json{report.rate_95->lower, report.rate_95->upper} : Json(nullptr)},
            {"kinds", kinds},
            {"times_ms", document(report.times)}};
}

} // namespace

conformance::FailureRecord failure_record(RecordOptions const& options,
                                          RecordResult const& result) {
    ThirdPartyCase const& shown = shown_case(result.cases);
    if (!shown.report.first) {
        return {};
    }
    return {repeat_text(options, shown, *shown.report.first),
            result.shrunk,
            result.shrunk ? smallest_text(options, *result.shrunk) : ""};
}

Expected<void> write_record_junit(RecordOptions const& options, RecordResult const& result) {
    JunitSuite suite{options.library ? *options.library : *options.command, {}};
    for (ThirdPartyCase const& one : result.cases) {
        JunitCase junit{conformance::case_text(one.keys), {}, {}, {}};
        if (one.report.first) {
            junit.failure = one.report.first->kind();
            std::ostringstream detail;
            detail << rate_text(one.report) << '\n';
            print_failure(options, one, false, detail);
            if (result.shrunk && &one == &shown_case(result.cases)) {
                print_shrunk(options, *result.shrunk, detail);
            }
            junit.detail = detail.str();
        } else if (one.report.run_count == 0) {
            junit.skipped = "interrupted before its first run";
        }
        suite.cases.push_back(std::move(junit));
    }
    return write_junit_file(*options.junit, "record", std::span(&suite, 1));
}

void print_record_text(RecordOptions const& options, RecordResult const& result) {
    auto const& cases = result.cases;
    std::ostream& out = options.files().text();
    ThirdPartyReport const sum = sum_of(cases);
    ThirdPartyCase const& shown = shown_case(cases);
    out << "record: " << (options.library ? *options.library : *options.command) << ", ";
    if (cases.size() == 1) {
        out << counted(shown.keys.key_count, options.type + " key") << ", "
            << keys_text(options, shown.keys, sum.run_count) << ", ";
    } else if (options.zoo) {
        out << options.type << " keys of the zoo, ";
    } else {
        out << options.type << " keys, "
            << (options.same_keys ? "seed " + std::to_string(options.seed)
                                  : "seeds from " + std::to_string(options.seed))
            << " in each case, ";
    }
    out << options.direction << '\n' << rate_text(sum) << '\n';
    for (auto const& [kind, count] : sum.kinds) {
        out << "  " << count << " x " << kind << '\n';
    }
    if (options.zoo) {
        print_zoo(cases, out);
    } else if (cases.size() > 1) {
        print_cases(cases, out);
    } else if (sum.times) {
        out << "Time per run: " << times_text(*sum.times, shown.keys.key_count) << '\n';
    }
    if (sum.left_running > 0) {
        out << "  " << sum.left_running
            << (sum.left_running == 1 ? " process was" : " processes were")
            << " left running and ended\n";
    }
    if (shown.report.first) {
        print_failure(options, shown, cases.size() > 1, out);
        if (result.shrunk) {
            print_shrunk(options, *result.shrunk, out);
        } else if (options.shrink) {
            out << "Not shrunk: no further run on its keys failed\n";
        }
    }
}

void print_record_json(RecordOptions const& options, RecordResult const& result) {
    auto const& cases = result.cases;
    ThirdPartyReport const sum = sum_of(cases);
    ThirdPartyCase const& shown = shown_case(cases);
    Json const config{{"library", options.library.value_or("")},
                      {"function", options.function.value_or(record_function_default)},
                      {"program", options.command.value_or("")},
                      {"keys", shown.keys.key_count},
                      {"type", options.type},
                      {"direction", options.direction},
                      {"values", options.values},
                      {"distribution", shown.keys.distribution},
                      {"seed", options.seed},
                      {"generator_version", model::generator_version}};
    Json all = Json::array();
    for (ThirdPartyCase const& one : cases) {
        Json entry{{"distribution", one.keys.distribution}, {"keys", one.keys.key_count}};
        if (options.zoo) {
            entry["broke"] = broken_sort(one.keys);
        }
        entry.update(counts_json(one.report));
        all.push_back(std::move(entry));
    }
    Json json = json_result("record", config);
    json.update(Json{{"holds", sum.failure_count == 0}});
    json.update(counts_json(sum));
    json.update(Json{{"interrupted", sum.interrupted},
                     {"left_running", sum.left_running},
                     {"cases", all},
                     {"first_failure", failure_json(options, shown)},
                     {"shrunk", shrunk_json(options, result.shrunk)}});
    print_json(json, std::cout);
}

} // namespace keyswap::tools
