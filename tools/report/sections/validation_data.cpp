#include "tools/report/sections/study_data.hpp"

#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

/// Label of a run: "2e+09 uint32, uniform, GPUs 0,1,2,3".
std::string label_of(Measurement const& run) {
    std::string text = printed("%.4g ", static_cast<double>(run.key_count)) + run.key_type + ", " +
                       run.distribution;
    if (run.parameter.value_or(0.0) != 0.0) {
        text += printed("(%g)", *run.parameter);
    }
    if (run.gpus.empty()) {
        return text + ", CPU";
    }
    return text + (run.gpus.size() == 1 ? ", GPU " : ", GPUs ") + joined_text(run.gpus, ",");
}

Json validated_row(simulator::ValidatedConfiguration const& row) {
    Measurement const& run = row.measured.first;
    Json phases = json_array(row.phases, [](simulator::PhaseError const& phase) {
        return Json{phase.phase, phase.measured_ms, phase.predicted_ms};
    });
    return {{"label", label_of(run)},
            {"algorithm", run.algorithm},
            {"keys", run.key_count},
            {"key_type", run.key_type},
            {"distribution", run.distribution},
            {"parameter", run.parameter ? Json(*run.parameter) : Json(nullptr)},
            {"gpus", run.gpus},
            {"runs", row.measured.runs},
            {"passes_measured", row.measured.passes},
            {"passes_predicted", row.predicted_passes},
            {"interval_ms",
             row.certainty ? Json::array({row.certainty->low_ms, row.certainty->high_ms})
                           : Json(nullptr)},
            {"phases", phases}};
}

/// Number of held-out runs within the intervals of each level, for the file's classes of totals.
Json coverage_data(simulator::Validation const& validation) {
    Json classes = Json::array();
    for (auto const& of_file : simulator::class_coverage(validation, {})) {
        std::size_t const runs = simulator::held_out_coverage(of_file.name).runs;
        if (runs > 0) {
            classes.push_back({{"class", of_file.name}, {"runs", runs}, {"levels", Json::array()}});
        }
    }
    for (int percent = 5; percent <= 95; percent += 5) {
        double const level = percent / 100.0;
        auto const held_out = simulator::class_coverage(simulator::held_out_runs(), level);
        for (Json& one : classes) {
            auto const found = std::ranges::find(
                held_out, one.at("class").get<std::string>(), &simulator::ClassCoverage::name);
            one["levels"].push_back({level, found->inside});
        }
    }
    return classes;
}

} // namespace

Json validation_data(simulator::Machine const& machine,
                     std::string const& file,
                     simulator::Validation const& validation) {
    auto const summaries = simulator::summarize(validation, {0, ~std::uint64_t{0}, 1.0});
    Json summary = json_array(summaries, [](simulator::ErrorSummary const& phase) {
        return Json{phase.phase, phase.count, phase.median, phase.p95, phase.worst};
    });
    std::string finding = "No phase took 1 ms or longer.";
    if (!summaries.empty() && summaries.front().count > 0) {
        simulator::ErrorSummary const& total = summaries.front();
        finding = "Half of the " + std::to_string(total.count) + " predicted totals are within " +
                  printed("%.1f %%", 100.0 * total.median) +
                  " of the measured ones, 19 of 20 within " +
                  printed("%.1f %%", 100.0 * total.p95) + "; the worst is off by " +
                  printed("%.1f %%", 100.0 * total.worst) + ".";
    }
    std::string const passes = "The number of partitioning passes is right for " +
                               std::to_string(validation.passes_equal) + " of " +
                               std::to_string(validation.passes_compared) + " configurations.";
    return {{"kind", "validation"},
            {"title", "Predicted and measured on " + machine.platform.name},
            {"platform", machine.platform.name},
            {"answers", Json::array({finding, passes})},
            {"configuration",
             Json::array({Json::array({"Measurements", file}),
                          Json::array({"Platform", machine.platform.name}),
                          Json::array({"Device profile", machine.device.name}),
                          Json::array({"Errors by phase", "of phases that took 1 ms or longer"})})},
            {"rows", json_array(validation.configurations, validated_row)},
            {"summary", summary},
            {"coverage", coverage_data(validation)}};
}

} // namespace keyswap::tools
