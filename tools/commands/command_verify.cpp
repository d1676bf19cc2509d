#include "model/verify/verify_trace.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/limit_options.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/report_documents.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace keyswap::tools {

namespace {

using conformance::Detail;
using conformance::Difference;
using conformance::Report;
using conformance::Verdict;

struct VerifyOptions {
    std::vector<std::string> traces;
    std::optional<std::string> junit;
    bool records_only = false;
    bool accept_incomplete = false;
    bool all = false;
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {
            named_files("verify", traces), {{"--junit", junit}}, json ? "--json" : "", existing};
    }
};

/// Missing records are a difference unless they were announced.
bool is_fine(Report const& report, bool accept_incomplete) {
    return std::ranges::all_of(report.differences, [&](Difference const& difference) {
        return accept_incomplete && difference.verdict == Verdict::incomplete_trace;
    });
}

Expected<void> write_junit_file(std::string const& path, std::span<Report const> reports) {
    std::ostringstream text;
    conformance::write_junit(reports, text);
    return write_whole_file(path, text.str());
}

void print_result(VerifyOptions const& options, std::span<Report const> reports, bool holds) {
    nlohmann::ordered_json traces = nlohmann::ordered_json::array();
    for (Report const& report : reports) {
        traces.push_back(
            conformance::report_json(report, options.all ? Detail::all : Detail::first));
    }
    nlohmann::ordered_json json = json_result(
        "verify", {{"traces", options.traces}, {"accept_incomplete", options.accept_incomplete}});
    json["holds"] = holds;
    json["traces"] = std::move(traces);
    print_json(json, std::cout);
}

void print_text(VerifyOptions const& options, std::span<Report const> reports) {
    std::ostream& out = options.files().text();
    for (Report const& report : reports) {
        conformance::write_text(report, options.all ? Detail::all : Detail::first, out);
    }
    auto const wrong = std::ranges::count_if(
        reports, [&](Report const& report) { return !is_fine(report, options.accept_incomplete); });
    out << "verify: " << format_count(reports.size() - static_cast<std::size_t>(wrong)) << " of "
        << counted(reports.size(), "trace") << " without a violation\n";
}

Expected<ExitCode> verify(VerifyOptions const& options) {
    if (auto const safe = check_files(options.files()); !safe) {
        return tl::unexpected(safe.error());
    }
    conformance::VerifyLimits limits;
    limits.records_only = options.records_only;
    std::vector<conformance::RecordedRun> runs;
    std::vector<Report> reports;
    for (std::string const& path : options.traces) {
        auto const readable = readable_path(path);
        if (!readable) {
            return tl::unexpected(readable.error());
        }
        auto run = conformance::read_recorded_run(*readable, limits);
        if (!run) {
            return tl::unexpected(run.error());
        }
        auto report = conformance::verify_run(*run, limits);
        if (!report) {
            return tl::unexpected(report.error());
        }
        runs.push_back(std::move(*run));
        reports.push_back(std::move(*report));
    }
    conformance::verify_determinism(runs, reports);
    bool const holds = std::ranges::all_of(reports, [&options](Report const& report) {
        return is_fine(report, options.accept_incomplete);
    });
    if (options.junit) {
        if (auto const written = write_junit_file(*options.junit, reports); !written) {
            return tl::unexpected(written.error());
        }
    }
    if (options.json) {
        print_result(options, reports, holds);
    } else {
        print_text(options, reports);
    }
    return holds ? ExitCode::fine : ExitCode::violation;
}

} // namespace

void add_verify_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "verify", "Compare recorded runs with the reference model, bucket for bucket");
    auto const options = std::make_shared<VerifyOptions>();
    command.add_option("traces", options->traces, "Recorded runs; .gz and .zst are read too")
        ->required()
        ->type_name("TRACE");
    command.add_flag("--all", options->all, "Tell every difference, not only the first");
    command.add_flag("--accept-incomplete",
                     options->accept_incomplete,
                     "Kinds of records that a trace leaves out are no violation");
    command.add_option("--junit", options->junit, "File for the results as JUnit XML");
    add_force_option(command, options->existing);
    add_records_only_option(command, options->records_only);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, verify);
}

} // namespace keyswap::tools
