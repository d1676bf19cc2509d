#include "tools/commands/validate/validate_options.hpp"

#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/try.hpp"

namespace keyswap::tools {

Judgement judged(ErrorLimits const& limits, std::span<simulator::ErrorSummary const> summaries) {
    simulator::ErrorSummary const& total = summaries.front();
    Judgement verdict = Judgement::within;
    auto const judge = [&verdict](std::optional<double> limit, double value, std::size_t count) {
        if (limit && count == 0) {
            verdict = Judgement::nothing_checked;
        } else if (limit && !(value <= *limit) && verdict == Judgement::within) {
            verdict = Judgement::exceeded;
        }
    };
    judge(limits.median_max, total.median, total.count);
    judge(limits.p95_max, total.p95, total.count);
    judge(limits.worst_max, total.worst, total.count);
    std::size_t phases = 0;
    for (simulator::ErrorSummary const& phase : summaries.subspan(1)) {
        judge(phase.count == 0 ? std::nullopt : limits.phase_p95_max, phase.p95, phase.count);
        phases += phase.count;
    }
    judge(limits.phase_p95_max, 0.0, phases);
    return total.count == 0 ? Judgement::nothing_checked : verdict;
}

Expected<ExitCode> exit_code_of(Judgement verdict) {
    switch (verdict) {
    case Judgement::within:
        return ExitCode::fine;
    case Judgement::exceeded:
        return ExitCode::violation;
    case Judgement::nothing_checked:
        break;
    }
    return input_error("validate",
                       "nothing was checked: no configuration is left to compare",
                       "give measurements of sorts that can be simulated, or lower "
                       "--min-keys and --min-phase-ms");
}

InputError missing_platform_error() {
    return {"--platform",
            "is missing: measured runs are predicted on a machine",
            "add it, for instance --platform dgx-a100"};
}

Json summary_json(std::span<simulator::ErrorSummary const> summaries) {
    Json summary = Json::array();
    for (simulator::ErrorSummary const& phase : summaries) {
        auto const known = [&phase](double error) {
            return phase.count == 0 ? Json(nullptr) : Json(error);
        };
        summary.push_back({{"phase", phase.phase},
                           {"count", phase.count},
                           {"median", known(phase.median)},
                           {"p95", known(phase.p95)},
                           {"worst", known(phase.worst)}});
    }
    return summary;
}

Json coverage_json(simulator::Coverage const& coverage) {
    return {{"count", coverage.count}, {"inside", coverage.inside}};
}

std::string share_text(simulator::Coverage const& coverage) {
    return coverage.count == 0 ? "-"
                               : formatted("%.0f %%",
                                           100.0 * static_cast<double>(coverage.inside) /
                                               static_cast<double>(coverage.count));
}

Json within_json(Judgement verdict) {
    return verdict == Judgement::nothing_checked ? Json(nullptr)
                                                 : Json(verdict == Judgement::within);
}

} // namespace keyswap::tools
