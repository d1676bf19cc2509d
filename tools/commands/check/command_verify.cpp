#include "model/verify/ranks/rank_traces.hpp"
#include "model/verify/verify_trace.hpp"
#include "tools/commands/check/verify_certify.hpp"
#include "tools/commands/check/verify_exchange.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/limit_options.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/options/trace_folder.hpp"
#include "tools/output/command_files.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/report_documents.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace keyswap::tools {

namespace {

using model::verify::Difference;
using model::verify::Report;
using model::verify::Verdict;

struct VerifyOptions {
    std::vector<std::string> traces;
    std::optional<std::string> junit;
    bool ranks = false;
    bool exchange = false;
    bool records_only = false;
    bool accept_incomplete = false;
    bool certify = false;
    bool all = false;
    Existing existing = Existing::keep;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {
            named_files("verify", traces), {{"--junit", junit}}, json ? "--json" : "", existing};
    }
};

/// False if there are differences, except missing records if those are accepted.
bool is_fine(Report const& report, bool accept_incomplete) {
    return std::ranges::all_of(report.differences, [&](Difference const& difference) {
        return accept_incomplete && difference.verdict == Verdict::incomplete_trace;
    });
}

void print_result(VerifyOptions const& options,
                  std::span<Report const> reports,
                  std::span<Certificate const> certificates,
                  bool holds) {
    Json traces = json_array(reports, [&](Report const& report) {
        return report_json(report, options.all ? Detail::all : Detail::first);
    });
    Json json = json_result(
        "verify", {{"traces", options.traces}, {"accept_incomplete", options.accept_incomplete}});
    json["holds"] = holds;
    json["traces"] = std::move(traces);
    for (Certificate const& certificate : certificates) {
        json["certificates"].push_back({{"trace", certificate.trace},
                                        {"certified", !certificate.refused},
                                        {"reason", certificate.refused.value_or("")}});
    }
    print_json(json, std::cout);
}

void print_text(VerifyOptions const& options,
                std::span<Report const> reports,
                std::span<Certificate const> certificates) {
    std::ostream& out = options.files().text();
    for (Report const& report : reports) {
        write_text(report, options.all ? Detail::all : Detail::first, out);
    }
    auto const wrong = std::ranges::count_if(
        reports, [&](Report const& report) { return !is_fine(report, options.accept_incomplete); });
    out << "verify: " << grouped_count(reports.size() - static_cast<std::size_t>(wrong)) << " of "
        << counted(reports.size(), "trace") << " without a violation\n";
    for (Certificate const& certificate : certificates) {
        out << certificate.trace << ": "
            << (certificate.refused ? "not certified: " + *certificate.refused : "certified")
            << '\n';
    }
}

/// Verifies each trace against the model.
Expected<std::vector<Report>> verify_each(std::span<model::verify::RecordedRun const> runs,
                                          model::verify::VerifyLimits const& limits) {
    std::vector<Report> reports;
    for (model::verify::RecordedRun const& run : runs) {
        KEYSWAP_TRY(auto report, model::verify::verify_run(run, limits));
        reports.push_back(std::move(report));
    }
    return reports;
}

/// Verifies the traces of ranks as one run. Contradictions between ranks come first, since other
/// differences follow from them.
Expected<std::vector<Report>> verify_ranks(std::vector<model::verify::RecordedRun>& runs,
                                           model::verify::VerifyLimits const& limits) {
    KEYSWAP_TRY(auto merged, model::verify::merge_ranks(runs));
    runs = {std::move(merged.run)};
    return verify_each(runs, limits).map([&](std::vector<Report> reports) {
        auto& differences = reports.front().differences;
        differences.insert(differences.begin(),
                           std::make_move_iterator(merged.differences.begin()),
                           std::make_move_iterator(merged.differences.end()));
        return reports;
    });
}

Expected<ExitCode> verify(VerifyOptions const& given) {
    VerifyOptions options = given;
    if (!options.exchange) {
        KEYSWAP_TRY(options.traces, expand_folders(given.traces));
    }
    KEYSWAP_RETURN_IF_ERROR(check_files(options.files()));
    if (options.exchange) {
        return verify_exchange(options.traces, options.all, options.json, std::cout);
    }
    model::verify::VerifyLimits limits;
    limits.records_only = options.records_only;
    std::vector<model::verify::RecordedRun> runs;
    for (std::string const& path : options.traces) {
        KEYSWAP_TRY(auto const readable, readable_path(path));
        KEYSWAP_TRY(auto run, model::verify::read_recorded_run(readable, limits));
        run.name = replace_standard_input_path(std::move(run.name));
        runs.push_back(std::move(run));
    }
    KEYSWAP_TRY(auto verified,
                options.ranks ? verify_ranks(runs, limits) : verify_each(runs, limits));
    std::vector<Report>& reports = verified;
    model::verify::verify_determinism(runs, reports);
    std::vector<Certificate> certificates;
    if (options.certify) {
        KEYSWAP_TRY(std::vector<std::string> const paths, readable_paths(options.traces));
        KEYSWAP_TRY(certificates, certify_traces(paths));
        for (Certificate& certificate : certificates) {
            certificate.trace = replace_standard_input_path(certificate.trace);
        }
    }
    bool const holds = std::ranges::all_of(reports,
                                           [&options](Report const& report) {
                                               return is_fine(report, options.accept_incomplete);
                                           }) &&
                       std::ranges::none_of(certificates, [](Certificate const& certificate) {
                           return certificate.refused.has_value();
                       });
    if (options.junit) {
        KEYSWAP_RETURN_IF_ERROR(write_junit_file(*options.junit, "verify", junit_suites(reports)));
    }
    if (options.json) {
        print_result(options, reports, certificates, holds);
    } else {
        print_text(options, reports, certificates);
    }
    return holds ? ExitCode::fine : ExitCode::violation;
}

} // namespace

void add_verify_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command = *app.add_subcommand(
        "verify", "Compare recorded runs with the reference model, bucket for bucket");
    auto const options = std::make_shared<VerifyOptions>();
    command.add_option("traces", options->traces, "Traces, or folders of traces; .gz and .zst too")
        ->required()
        ->type_name("TRACE");
    command.add_flag("--all", options->all, "Print every difference, not only the first");
    auto* const accept_incomplete =
        command.add_flag("--accept-incomplete",
                         options->accept_incomplete,
                         "Accept traces that leave out kinds of records");
    auto* const junit =
        command.add_option("--junit", options->junit, "Write the results here as JUnit XML");
    add_force_option(command, options->existing);
    auto* const ranks =
        command.add_flag("--ranks",
                         options->ranks,
                         "The traces come from all ranks of one sort: verify them as one run");
    auto* const certify =
        command
            .add_flag("--certify",
                      options->certify,
                      "Also ask the checker that Coq has proved (keyswap-certify, of "
                      "model/proofs) whether each run of rmg or sample-sort is a balanced, "
                      "sorted permutation of its input")
            ->excludes(ranks);
    command
        .add_flag("--exchange",
                  options->exchange,
                  "The files are CSV tables from the ranks of any program, with the columns "
                  "rank,peer,sent_bytes,received_bytes: both ends of each pair must agree")
        ->excludes(ranks)
        ->excludes(accept_incomplete)
        ->excludes(certify)
        ->excludes(junit);
    add_records_only_option(command, options->records_only);
    command.add_flag("--json", options->json, "Print the result as JSON");
    run_when_chosen(command, chosen, options, verify);
}

} // namespace keyswap::tools
