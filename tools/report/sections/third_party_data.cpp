#include "tools/report/sections/third_party_data.hpp"

#include "tools/record/third_party_trace.hpp"
#include "tools/report/sections/run_data.hpp"
#include "tools/text/json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string>

namespace keyswap::tools {

namespace {

/// Verdict on all runs; on the single run if the trace has only one.
std::string verdict_text(RunView const& view) {
    auto const failed = std::ranges::find(view.verdicts, false, &VerdictRecord::holds);
    bool const wrong = failed != view.verdicts.end();
    auto const runs =
        std::ranges::find(view.verdicts, conformance::runs_property, &VerdictRecord::property);
    if (runs != view.verdicts.end()) {
        return (wrong ? "Checked and WRONG: " : "Checked: ") + runs->detail + ".";
    }
    if (wrong) {
        return "Checked and WRONG: not " +
               std::string(failed->property == "permutation" ? "a " : "") + failed->property +
               (failed->detail.empty() ? "." : " (" + failed->detail + ").");
    }
    return view.verdicts.empty() ? "" : "Checked: its output is sorted and has the input's keys.";
}

/// Kind of the first failure; empty if no run failed.
std::string first_failure_text(RunView const& view) {
    std::string text;
    for (VerdictRecord const& verdict : view.verdicts) {
        bool const of_many = verdict.property == conformance::runs_property ||
                             verdict.property == conformance::case_property;
        if (!verdict.holds && !of_many) {
            text += (text.empty() ? "not " : ", not ") +
                    std::string(verdict.property == "permutation" ? "a " : "") + verdict.property +
                    (verdict.detail.empty() ? "" : " (" + verdict.detail + ")");
        }
    }
    return text.empty() ? ""
                        : "First failure, with seed " + std::to_string(view.header.input.seed) +
                              ": " + text + ".";
}

/// Duration of the runs; empty if not recorded.
std::string times_sentence(RunView const& view) {
    auto const times =
        std::ranges::find(view.verdicts, conformance::times_property, &VerdictRecord::property);
    return times == view.verdicts.end() ? "" : "Time per run: " + times->detail + ".";
}

/// True for further records of a failure, which are stored as verdicts.
bool is_detail(VerdictRecord const& verdict) {
    constexpr std::array details{conformance::wrong_place_property,
                                 conformance::columns_property,
                                 conformance::repeat_property,
                                 conformance::smallest_property};
    return std::ranges::find(details, verdict.property) != details.end();
}

/// Parses "0 4 . 4 8 !" to [[0, 4, false], [4, 8, true]]; empty if the text is not such a list.
Json columns_json(std::string const& text) {
    std::istringstream words(text);
    Json columns = Json::array();
    std::uint32_t lowest = 0;
    std::uint32_t highest = 0;
    for (char mark = '.'; words >> lowest >> highest >> mark;) {
        columns.push_back({lowest, highest, mark == '!'});
    }
    return words.eof() ? columns : Json::array();
}

/// Records of the shown failure.
Json failure_json(RunView const& view) {
    Json failure{{"places", Json::array()},
                 {"columns", Json::array()},
                 {"repeat", ""},
                 {"smallest", nullptr}};
    for (VerdictRecord const& verdict : view.verdicts) {
        if (verdict.property == conformance::wrong_place_property) {
            failure["places"].push_back(verdict.detail);
        } else if (verdict.property == conformance::columns_property) {
            failure["columns"] = columns_json(verdict.detail);
        } else if (verdict.property == conformance::repeat_property) {
            failure["repeat"] = verdict.detail;
        } else if (verdict.property == conformance::smallest_property) {
            auto const colon = verdict.detail.find(": ");
            failure["smallest"] = {verdict.detail.substr(0, colon),
                                   colon == std::string::npos ? ""
                                                              : verdict.detail.substr(colon + 2)};
        }
    }
    return failure;
}

} // namespace

bool is_third_party(RunView const& view) {
    return view.header.algorithm == conformance::third_party_algorithm;
}

Json third_party_data(RunView const& view) {
    std::vector<VerdictRecord> verdicts = view.verdicts;
    std::erase_if(verdicts, is_detail);
    return {{"kind", "foreign"},
            {"title", view.title},
            {"verdict", verdict_text(view)},
            {"answers", {first_failure_text(view), times_sentence(view)}},
            {"configuration", third_party_configuration_rows(view.header)},
            {"keys", view.header.key_count},
            {"verdicts", verdicts_json(verdicts)},
            {"failure", failure_json(view)}};
}

} // namespace keyswap::tools
