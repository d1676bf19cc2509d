#include "tools/report/verification.hpp"

#include "model/verify/verify_trace.hpp"
#include "tools/text/json.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

using model::verify::Report;

std::vector<Verification::Property> properties_of(Report const& report) {
    std::vector<Verification::Property> properties;
    for (model::verify::Check const check : report.checked) {
        bool const differs =
            std::ranges::find(report.differences, check, &model::verify::Difference::check) !=
            report.differences.end();
        properties.push_back({std::string(to_string(check)), differs ? "DIFFERS" : "agrees", ""});
    }
    for (model::verify::Unchecked const& left_out : report.unchecked) {
        properties.push_back(
            {std::string(to_string(left_out.check)), "not checked", left_out.reason});
    }
    return properties;
}

std::string sentence_of_report(Report const& report) {
    auto const wrong =
        std::ranges::find_if(report.differences, [](model::verify::Difference const& difference) {
            return difference.verdict != model::verify::Verdict::incomplete_trace;
        });
    if (wrong != report.differences.end()) {
        return "Verified and WRONG: " + sentence_of(*wrong);
    }
    std::size_t const count = report.checked.size();
    std::string const agree =
        count == 0   ? "nothing could be compared with the model."
        : count == 1 ? std::string(to_string(report.checked.front())) + " agree with the model."
                     : "all " + std::to_string(count) + " properties" +
                           (report.unchecked.empty() ? "" : " that can be checked") +
                           " agree with the model.";
    return (report.holds() ? "Verified: " : "Verified as far as the trace goes: ") + agree;
}

} // namespace

Verification verification_of(model::verify::RecordedRun const& run,
                             model::verify::VerifyLimits const& limits) {
    auto const report = model::verify::verify_run(run, limits);
    return report ? Verification{sentence_of_report(*report), properties_of(*report)}
                  : Verification{"Not verified: " + report.error().message() + ".", {}};
}

Json properties_json(Verification const& verification) {
    auto rows = Json::array();
    for (Verification::Property const& property : verification.properties) {
        rows.push_back({property.name, property.verdict, property.detail});
    }
    return rows;
}

} // namespace keyswap::tools
