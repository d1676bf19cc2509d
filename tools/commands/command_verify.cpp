#include "proptests/report_documents.hpp"
#include "proptests/verify_trace.hpp"
#include "tools/build_info.hpp"
#include "tools/command.hpp"
#include "traces/atomic_file.hpp"

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
    bool accept_incomplete = false;
    bool all = false;
    bool json = false;
};

/// Missing records are a difference unless they were announced.
bool is_fine(Report const& report, bool accept_incomplete) {
    return std::ranges::all_of(report.differences, [&](Difference const& difference) {
        return accept_incomplete && difference.verdict == Verdict::incomplete_trace;
    });
}

Expected<void> write_junit_file(std::string const& path, std::span<Report const> reports) {
    auto file = AtomicFile::create(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    std::ostringstream text;
    conformance::write_junit(reports, text);
    if (auto const written = file->write(text.str()); !written) {
        return written;
    }
    return file->commit();
}

void print_json(VerifyOptions const& options, std::span<Report const> reports, bool holds) {
    nlohmann::ordered_json traces = nlohmann::ordered_json::array();
    for (Report const& report : reports) {
        traces.push_back(
            conformance::report_json(report, options.all ? Detail::all : Detail::first));
    }
    constexpr int indent = 2;
    std::cout << nlohmann::ordered_json{{"command", "verify"},
                                        {"version", build_version()},
                                        {"config",
                                         {{"traces", options.traces},
                                          {"accept_incomplete", options.accept_incomplete}}},
                                        {"holds", holds},
                                        {"traces", traces}}
                     .dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
              << '\n';
}

void print_text(VerifyOptions const& options, std::span<Report const> reports) {
    for (Report const& report : reports) {
        conformance::write_text(report, options.all ? Detail::all : Detail::first, std::cout);
    }
    auto const wrong = std::ranges::count_if(
        reports, [&](Report const& report) { return !is_fine(report, options.accept_incomplete); });
    std::cout << "verify: " << reports.size() - static_cast<std::size_t>(wrong) << " of "
              << reports.size() << (reports.size() == 1 ? " trace" : " traces")
              << " without a violation\n";
}

Expected<ExitCode> verify(VerifyOptions const& options) {
    std::vector<conformance::RecordedRun> runs;
    std::vector<Report> reports;
    for (std::string const& path : options.traces) {
        auto run = conformance::read_recorded_run(path);
        if (!run) {
            return tl::unexpected(run.error());
        }
        auto report = conformance::verify_run(*run);
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
        print_json(options, reports, holds);
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
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, verify);
}

} // namespace keyswap::tools
