#include "tools/text/report_documents.hpp"

#include "tools/text/document.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>

namespace keyswap::tools {

using model::verify::Check;
using model::verify::Difference;
using model::verify::Report;
using model::verify::Unchecked;
using model::verify::Verdict;
using model::verify::verdicts;

namespace {

std::string run_text(RunHeader const& header) {
    std::ostringstream text;
    bool const graph = header.operation == Operation::sssp;
    auto const known = find_algorithm_info(header.algorithm);
    bool const by_cpu = header.operation == Operation::external_sort ||
                        (known && (*known)->gpus == GpuCounts::none);
    text << header.algorithm << (header.variant.empty() ? "" : " ") << header.variant << ", "
         << grouped_count(header.key_count) << ' ' << (graph ? "" : to_string(header.key_type))
         << (graph ? "vertices on " : " keys on ");
    if (by_cpu) {
        text << "a CPU";
    } else {
        text << counted(header.gpus.size(), header.virtual_gpus ? "virtual GPU" : "GPU");
    }
    if (!header.device.empty()) {
        text << " (" << header.device << ")";
    }
    if (header.input.distribution == "file") {
        text << ", from " << header.input.file;
    } else if (!header.input.distribution.empty()) {
        text << ", " << distribution_text(header.input.distribution, header.input.parameter)
             << ", seed " << header.input.seed;
    }
    return text.str();
}

Json place_json(Difference const& difference) {
    auto const& bucket = difference.bucket;
    return {{"where", difference.where.empty() ? Json() : Json(difference.where)},
            {"pass", document(difference.pass)},
            {"bucket", bucket ? Json{{"pass", bucket->pass}, {"prefix", bucket->prefix}} : Json()},
            {"gpu", document(difference.gpu)}};
}

/// All checks that were made, failed or skipped in a report.
std::set<Check> checks_of(Report const& report) {
    std::set<Check> checks(report.checked.begin(), report.checked.end());
    for (Difference const& difference : report.differences) {
        checks.insert(difference.check);
    }
    for (Unchecked const& unchecked : report.unchecked) {
        checks.insert(unchecked.check);
    }
    return checks;
}

JunitCase junit_case(Report const& report, Check check) {
    JunitCase one;
    one.name = to_string(check);
    for (Difference const& difference : report.differences) {
        if (difference.check == check) {
            if (one.failure.empty()) {
                one.failure = to_string(difference.verdict);
            }
            one.detail += printable_text(sentence_of(difference)) + "\n";
        }
    }
    auto const skipped = std::ranges::find(report.unchecked, check, &Unchecked::check);
    if (skipped != report.unchecked.end()) {
        one.skipped = skipped->reason;
    }
    return one;
}

} // namespace

void write_text(Report const& report, Detail detail, std::ostream& out) {
    out << printable_text(report.name + ": " + run_text(report.header)) << '\n';
    if (report.holds()) {
        out << "  agrees with the model in "
            << joined_text(report.checked, ", ", [](Check check) { return to_string(check); })
            << ".\n";
    } else {
        out << "  First difference: " << printable_text(sentence_of(report.differences.front()))
            << '\n';
        for (std::size_t i = 1; detail == Detail::all && i < report.differences.size(); ++i) {
            out << "  " << printable_text(sentence_of(report.differences[i])) << '\n';
        }
        out << "  Verdicts:";
        char const* separator = " ";
        for (Verdict const verdict : verdicts()) {
            if (std::size_t const count = count_of(report, verdict); count > 0) {
                out << separator << to_string(verdict) << " (" << count << ")";
                separator = ", ";
            }
        }
        out << ".";
        if (detail == Detail::first && report.differences.size() > 1) {
            out << " --all prints the other " << report.differences.size() - 1 << ".";
        }
        out << '\n';
    }
    for (Unchecked const& unchecked : report.unchecked) {
        out << "  Not checked: " << to_string(unchecked.check) << " ("
            << printable_text(unchecked.reason) << ").\n";
    }
}

Json report_json(Report const& report, Detail detail) {
    Json counts = Json::object();
    for (Verdict const verdict : verdicts()) {
        counts[std::string(to_string(verdict))] = count_of(report, verdict);
    }
    Json differences = Json::array();
    for (Difference const& difference : report.differences) {
        differences.push_back({{"verdict", to_string(difference.verdict)},
                               {"check", to_string(difference.check)},
                               {"place", place_json(difference)},
                               {"expected", difference.expected},
                               {"recorded", difference.recorded},
                               {"consequence", difference.consequence}});
        if (detail == Detail::first) {
            break;
        }
    }
    Json unchecked = json_array(report.unchecked, [](Unchecked const& entry) {
        return Json{{"check", to_string(entry.check)}, {"reason", entry.reason}};
    });
    return {{"name", report.name},
            {"run", run_text(report.header)},
            {"holds", report.holds()},
            {"verdicts", counts},
            {"difference_count", report.differences.size()},
            {"differences", differences},
            {"checked", document(report.checked)},
            {"unchecked", unchecked}};
}

std::vector<JunitSuite> junit_suites(std::span<Report const> reports) {
    std::vector<JunitSuite> suites;
    for (Report const& report : reports) {
        JunitSuite suite{report.name, {}};
        for (Check const check : checks_of(report)) {
            suite.cases.push_back(junit_case(report, check));
        }
        suites.push_back(std::move(suite));
    }
    return suites;
}

} // namespace keyswap::tools
