#include "tools/report/report_request.hpp"

#include "tools/build/build_info.hpp"
#include "tools/report/sections/profile_data.hpp"
#include "tools/report/sections/run_data.hpp"
#include "tools/report/sections/simulation_data.hpp"
#include "tools/report/sections/third_party_data.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cmath>

namespace keyswap::tools {

namespace {

/// Compares the first measured with the first predicted run, else the fastest with the slowest run.
std::string comparison_finding(std::vector<PhaseDurations> const& runs) {
    auto const measured = std::ranges::find(runs, true, &PhaseDurations::measured);
    auto const predicted = std::ranges::find(runs, false, &PhaseDurations::measured);
    if (measured != runs.end() && predicted != runs.end() && measured->total_ms > 0.0) {
        double const error = 100.0 * (predicted->total_ms / measured->total_ms - 1.0);
        return measured->name + " took " + duration_text(measured->total_ms) + "; " +
               predicted->name + " is predicted to take " + duration_text(predicted->total_ms) +
               ", " + printed("%.1f %% ", std::abs(error)) + (error < 0.0 ? "less." : "more.");
    }
    auto const [fastest, slowest] =
        std::ranges::minmax(runs, {}, [](PhaseDurations const& run) { return run.total_ms; });
    if (fastest.total_ms <= 0.0) {
        return "";
    }
    return fastest.name + (fastest.measured ? " took " : " is predicted to take ") +
           duration_text(fastest.total_ms) + ", " + slowest.name + " " +
           printed("%.2f", slowest.total_ms / fastest.total_ms) + " times as long.";
}

Json comparison(ReportContent const& content) {
    std::vector<PhaseDurations> runs;
    for (RunView const& view : content.runs) {
        PhaseDurations durations = phase_durations(view);
        if (!durations.phases.empty()) {
            runs.push_back(std::move(durations));
        }
    }
    if (runs.size() + content.simulations.size() < 2) {
        return nullptr;
    }
    for (simulator::Simulation const& simulation : content.simulations) {
        runs.push_back(phase_durations(simulation));
    }
    std::string const finding = comparison_finding(runs);
    Json data = comparison_data(std::move(runs));
    data["answers"] = finding.empty() ? Json::array() : Json::array({finding});
    return data;
}

/// Prefixes the answer with its algorithm or title if several sections are of that kind.
std::string
with_section_prefix(Json const& section, Json const& sections, std::string const& answer) {
    bool const alone = std::ranges::count(sections, section["kind"], [](Json const& other) {
                           return other["kind"];
                       }) == 1;
    return alone ? answer
                 : section.value("algorithm", section["title"].get<std::string>()) + ": " + answer;
}

/// Findings, the most important first: correctness of recorded runs, then results of the
/// comparison, simulations, studies and plans.
Json findings(Json const& sections) {
    Json all = Json::array();
    for (Json const& section : sections) {
        std::string const verdict = section.value("verdict", "");
        if (!verdict.empty()) {
            all.push_back(with_section_prefix(section, sections, verdict));
        }
    }
    for (char const* kind : {"comparison",
                             "validation",
                             "rates",
                             "sweep",
                             "profile",
                             "simulation",
                             "foreign",
                             "operation",
                             "run"}) {
        for (Json const& section : sections) {
            if (section["kind"] != kind) {
                continue;
            }
            for (Json const& answer : section["answers"]) {
                auto const text = answer.get<std::string>();
                if (!text.empty()) {
                    all.push_back(with_section_prefix(section, sections, text));
                }
            }
        }
    }
    return all;
}

} // namespace

Json report_document(ReportContent const& content, std::string const& command) {
    Json sections = Json::array();
    if (Json data = comparison(content); !data.is_null()) {
        sections.push_back(std::move(data));
    }
    for (auto const* studies : {&content.measurements, &content.rates, &content.sweeps}) {
        for (Json const& study : *studies) {
            sections.push_back(study);
        }
    }
    for (Profile const& profile : content.profiles) {
        sections.push_back(profile_data(profile));
    }
    for (RunView const& view : content.runs) {
        sections.push_back(is_third_party(view) ? third_party_data(view) : run_data(view));
    }
    for (OperationView const& view : content.operations) {
        sections.push_back(operation_data(view));
    }
    for (std::size_t i = 0; i < content.simulations.size(); ++i) {
        sections.push_back(
            simulation_data(*content.machine, content.simulations[i], content.certainties[i]));
    }
    Json const all = findings(sections);
    std::string const title =
        sections.empty() ? "nothing" : sections.front()["title"].get<std::string>();
    return {{"format", "keyswap-report"},
            {"version", 1},
            {"title", "Keyswap: " + title},
            {"program", build_sentence()},
            {"command", command},
            {"findings", all},
            {"sections", std::move(sections)}};
}

} // namespace keyswap::tools
