#include "tools/report/verification.hpp"

#include "model/verify/verify_trace.hpp"
#include "tools/text/json.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

using model::verify::Report;

Json checks_json(Report const& report) {
    Json rows = Json::array();
    for (model::verify::Check const check : report.checked) {
        bool const differs =
            std::ranges::find(report.differences, check, &model::verify::Difference::check) !=
            report.differences.end();
        rows.push_back({to_string(check), differs ? "DIFFERS" : "agrees", ""});
    }
    for (model::verify::Unchecked const& left_out : report.unchecked) {
        rows.push_back({to_string(left_out.check), "not checked", left_out.reason});
    }
    return rows;
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
    return report ? Verification{sentence_of_report(*report), checks_json(*report)}
                  : Verification{"Not verified: " + report.error().message() + "."};
}

std::string verdict_answer(Verification const& verification,
                           std::vector<VerdictRecord> const& verdicts) {
    std::string const& model = verification.sentence;
    if (verdicts.empty()) {
        return model;
    }
    auto const failed = std::ranges::find(verdicts, false, &VerdictRecord::holds);
    std::string const own = failed == verdicts.end()
                                ? std::string("hold") + (model.empty() ? "." : " too.")
                                : "found it WRONG: " + failed->property +
                                      (failed->detail.empty() ? "." : " (" + failed->detail + ").");
    return model + (model.empty() ? "" : " ") + "The run's own checks " + own;
}

Json verdicts_json(std::vector<VerdictRecord> const& verdicts) {
    return json_array(verdicts, [](VerdictRecord const& verdict) {
        return Json{verdict.property, verdict.holds, verdict.detail};
    });
}

} // namespace keyswap::tools
