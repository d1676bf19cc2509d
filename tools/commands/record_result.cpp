#include "model/keys/counter_generator.hpp"
#include "tools/commands/record_request.hpp"
#include "tools/output/json_result.hpp"
#include "tools/record/case_keys.hpp"
#include "tools/report/repeat_command.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;
using conformance::ForeignCase;
using conformance::ForeignReport;
using conformance::ForeignRun;

/// The command that makes a run again, with all that was asked of it.
std::string
repeat_text(RecordOptions const& options, ForeignCase const& of, ForeignRun const& run) {
    std::ostringstream text;
    text << "keyswap record "
         << (options.library ? "--library " + shell_word(*options.library)
                             : "--command " + shell_word(*options.command))
         << (options.function ? " --function " + shell_word(*options.function) : "");
    if (auto const entry = conformance::zoo_entry_of(of.keys)) {
        text << " --zoo " << *entry;
    } else {
        text << " --distribution " << of.keys.distribution;
        if (options.parameter) {
            text << " --parameter " << printed("%.17g", *options.parameter);
        }
        text << " --keys " << of.keys.key_count;
    }
    text << " --type " << options.type << " --direction " << options.direction << " --zero-order "
         << options.zero_order;
    if (options.values != "none") {
        text << " --values " << options.values << (options.stable ? " --stable" : "");
    }
    if (options.timeout_s != record_timeout_s_default) {
        text << " --timeout " << printed("%.17g", options.timeout_s);
    }
    if (options.folder != record_folder_default) {
        text << " --folder " << shell_word(options.folder);
    }
    text << " --seed " << run.seed;
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

void print_failure(RecordOptions const& options,
                   ForeignCase const& of,
                   ForeignRun const& failure,
                   std::ostream& out) {
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
        << "\n  repeat: " << repeat_text(options, of, failure) << '\n';
}

/// The sort that an input of the zoo broke, with the number of the report.
std::string broken_sort(model::KeyRequest const& keys) {
    auto const entries = conformance::zoo_entries(keys.key_type);
    return std::ranges::find(
               entries, *conformance::zoo_entry_of(keys), &conformance::ZooEntry::name)
        ->source;
}

/// A line for each case.
void print_cases(std::vector<ForeignCase> const& cases, std::ostream& out) {
    out << formatted("%-20s %15s %8s %9s %21s %12s\n",
                     "distribution",
                     "keys",
                     "runs",
                     "failures",
                     "rate, 95 % confidence",
                     "median in ms");
    constexpr double ns_per_ms = 1e6;
    for (auto const& [keys, report] : cases) {
        std::string const median =
            report.times
                ? printed("%.4g", static_cast<double>(report.times->median.count()) / ns_per_ms)
                : "-";
        std::string const rate = printed("%.2f", 100 * report.rate_95.lower) + " to " +
                                 printed("%.2f %%", 100 * report.rate_95.upper);
        out << formatted("%-20s %15s %8llu %9llu %21s %12s\n",
                         keys.distribution.c_str(),
                         format_count(keys.key_count).c_str(),
                         static_cast<unsigned long long>(report.run_count),
                         static_cast<unsigned long long>(report.failure_count),
                         rate.c_str(),
                         median.c_str());
    }
}

/// A line for each input of the zoo: what broke on it once, and what went wrong now.
void print_zoo(std::vector<ForeignCase> const& cases, std::ostream& out) {
    constexpr char const* line = "%-30s %-17s %7s %6s %9s  %s\n";
    out << formatted(line, "input", "which broke", "keys", "runs", "failures", "what went wrong");
    for (auto const& [keys, report] : cases) {
        std::string kinds;
        for (auto const& [kind, count] : report.kinds) {
            kinds += (kinds.empty() ? "" : "; ") + kind;
        }
        out << formatted(line,
                         std::string(*conformance::zoo_entry_of(keys)).c_str(),
                         broken_sort(keys).c_str(),
                         format_count(keys.key_count).c_str(),
                         format_count(report.run_count).c_str(),
                         format_count(report.failure_count).c_str(),
                         kinds.c_str());
    }
}

Json failure_json(RecordOptions const& options, ForeignCase const& of) {
    auto const& failure = of.report.first;
    if (!failure) {
        return nullptr;
    }
    return {{"seed", failure->seed},
            {"distribution", of.keys.distribution},
            {"keys", of.keys.key_count},
            {"end", to_string(failure->end.end)},
            {"detail", failure->end.detail},
            {"last_words", failure->end.last_words},
            {"sentences", failure->sentences},
            {"input", failure->input.string()},
            {"output", failure->output.string()},
            {"repeat", repeat_text(options, of, *failure)}};
}

Json times_json(std::optional<conformance::RunTimes> const& times) {
    constexpr double ns_per_ms = 1e6;
    auto const ms = [](std::chrono::nanoseconds time) {
        return static_cast<double>(time.count()) / ns_per_ms;
    };
    return times ? Json{{"least", ms(times->least)},
                        {"median", ms(times->median)},
                        {"most", ms(times->most)}}
                 : Json(nullptr);
}

/// What is told of all cases, and of each.
Json counts_json(ForeignReport const& report) {
    Json kinds = Json::object();
    for (auto const& [kind, count] : report.kinds) {
        kinds[kind] = count;
    }
    return {{"runs", report.run_count},
            {"failures", report.failure_count},
            {"rate_95", {report.rate_95.lower, report.rate_95.upper}},
            {"kinds", kinds},
            {"times_ms", times_json(report.times)}};
}

} // namespace

void print_record_text(RecordOptions const& options, std::vector<ForeignCase> const& cases) {
    std::ostream& out = options.files().text();
    ForeignReport const sum = sum_of(cases);
    ForeignCase const& shown = shown_case(cases);
    out << "record: " << (options.library ? *options.library : *options.command) << ", ";
    if (cases.size() == 1) {
        out << format_count(shown.keys.key_count) << ' ' << options.type << " keys, "
            << shown.keys.distribution << ", seeds " << options.seed << " to "
            << options.seed + sum.run_count - 1 << ", ";
    } else {
        out << options.type << " keys, seeds from " << options.seed << " in each case, ";
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
        print_failure(options, shown, *shown.report.first, out);
    }
}

void print_record_json(RecordOptions const& options, std::vector<ForeignCase> const& cases) {
    ForeignReport const sum = sum_of(cases);
    ForeignCase const& shown = shown_case(cases);
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
    for (ForeignCase const& one : cases) {
        Json told{{"distribution", one.keys.distribution}, {"keys", one.keys.key_count}};
        if (options.zoo) {
            told["broke"] = broken_sort(one.keys);
        }
        told.update(counts_json(one.report));
        all.push_back(std::move(told));
    }
    Json json = json_result("record", config);
    json.update(Json{{"holds", sum.failure_count == 0}});
    json.update(counts_json(sum));
    json.update(Json{{"interrupted", sum.interrupted},
                     {"left_running", sum.left_running},
                     {"cases", all},
                     {"first_failure", failure_json(options, shown)}});
    print_json(json, std::cout);
}

} // namespace keyswap::tools
