#include "simulator/calibration/hold_out.hpp"
#include "tools/commands/validate/validate_options.hpp"
#include "tools/output/json_result.hpp"
#include "tools/output/measured_gpus.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <iostream>

namespace keyswap::tools {

namespace {

std::string gpus_text(std::vector<int> const& gpus) {
    std::string const text = joined_text(gpus, ",");
    return text.empty() ? "CPU" : text;
}

Json row_json(simulator::ValidatedConfiguration const& row) {
    Measurement const& run = row.measured.first;
    Json phases = Json::array();
    for (simulator::PhaseError const& phase : row.phases) {
        phases.push_back({{"phase", phase.phase},
                          {"measured_ms", phase.measured_ms},
                          {"predicted_ms", phase.predicted_ms},
                          {"relative_error", phase.error()}});
    }
    return {{"algorithm", run.algorithm},
            {"num_keys", run.key_count},
            {"gpus", run.gpus},
            {"key_type", run.key_type},
            {"distribution", run.distribution},
            {"parameter", run.parameter ? Json(*run.parameter) : Json(nullptr)},
            {"runs", row.measured.runs},
            {"passes_measured", row.measured.passes},
            {"passes_predicted", row.predicted_passes},
            {"low_ms", row.certainty ? Json(row.certainty->low_ms) : Json(nullptr)},
            {"high_ms", row.certainty ? Json(row.certainty->high_ms) : Json(nullptr)},
            {"error_class", row.certainty ? Json(row.certainty->model.error_class) : Json(nullptr)},
            {"model_error", row.certainty ? Json(row.certainty->model.error) : Json(nullptr)},
            {"phases", phases}};
}

void print_row(simulator::ValidatedConfiguration const& row) {
    Measurement const& run = row.measured.first;
    std::cout << formatted("%-17s %11.0f %-15s %-7s %-14s %4s %d/%d",
                           printable_text(run.algorithm).c_str(),
                           static_cast<double>(run.key_count),
                           gpus_text(run.gpus).c_str(),
                           printable_text(run.key_type).c_str(),
                           printable_text(run.distribution).c_str(),
                           run.parameter ? printed("%g", *run.parameter).c_str() : "-",
                           row.predicted_passes,
                           row.measured.passes);
    for (simulator::PhaseError const& phase : row.phases) {
        std::cout << formatted("  %s %.2f/%.2f %+.1f%%",
                               phase.phase.c_str(),
                               phase.predicted_ms,
                               phase.measured_ms,
                               100.0 * phase.error());
    }
    if (row.certainty) {
        std::cout << formatted(
            "  expect %.2f to %.2f", row.certainty->low_ms, row.certainty->high_ms);
    }
    std::cout << '\n';
}

/// Coverage of the 90 % intervals, by class: for these totals, and for the held-out runs that
/// determine the class's error.
Json class_coverage_json(std::span<simulator::ClassCoverage const> classes) {
    Json all = Json::array();
    for (simulator::ClassCoverage const& one : classes) {
        auto const held_out = simulator::held_out_coverage(one.name);
        all.push_back({{"class", one.name},
                       {"count", one.runs},
                       {"inside", one.inside},
                       {"held_out_count", held_out.runs},
                       {"held_out_inside", held_out.inside},
                       {"model_error", one.error}});
    }
    return all;
}

void print_coverage(simulator::Coverage const& inside,
                    std::span<simulator::ClassCoverage const> classes) {
    std::cout << formatted("inside the interval of nine in ten: %zu of %zu totals (%s)\n",
                           inside.inside,
                           inside.count,
                           share_text(inside).c_str());
    std::cout << formatted("\n%-42s %6s %7s  %13s %7s\n",
                           "class of predictions",
                           "totals",
                           "inside",
                           "held-out runs",
                           "inside");
    for (simulator::ClassCoverage const& one : classes) {
        auto const held_out = simulator::held_out_coverage(one.name);
        std::cout << formatted("%-42s %6zu %7s  %13zu %7s\n",
                               printable_text(one.name).c_str(),
                               one.runs,
                               share_text({one.runs, one.inside}).c_str(),
                               held_out.runs,
                               share_text({held_out.runs, held_out.inside}).c_str());
    }
}

/// Prints one row per class: errors of the total, and the maximum error of each phase.
void print_classes(std::span<simulator::HeldOutClass const> classes) {
    std::cout << formatted("%-20s %5s  %8s %8s %8s  %6s   phases at worst\n",
                           "held out",
                           "rows",
                           "median",
                           "p95",
                           "worst",
                           "inside");
    for (simulator::HeldOutClass const& one : classes) {
        simulator::ErrorSummary const& total = one.phases.front();
        std::cout << formatted("%-20s %5zu  %7.2f%% %7.2f%% %7.2f%%  %6s  ",
                               printable_text(one.name).c_str(),
                               total.count,
                               100.0 * total.median,
                               100.0 * total.p95,
                               100.0 * total.worst,
                               share_text(one.coverage).c_str());
        for (simulator::ErrorSummary const& phase : std::span(one.phases).subspan(1)) {
            if (phase.count > 0) {
                std::cout << formatted(" %s %.1f%%", phase.phase.c_str(), 100.0 * phase.worst);
            }
        }
        std::string text;
        for (std::string const& name : one.not_held_out) {
            text += (text.empty() ? "; only here, so not held out: " : ", ") + name;
        }
        std::cout << printable_text(text) << '\n';
    }
}

/// Applies the same limits to every class.
Expected<ExitCode> run_hold_out(ValidateOptions const& options,
                                simulator::Machine const& machine,
                                std::span<Measurement const> runs) {
    KEYSWAP_TRY(auto const by, simulator::parse_hold_out(*options.hold_out));
    KEYSWAP_TRY(auto const classes, simulator::hold_out(machine, runs, by, {}, options.filter()));
    Judgement verdict = Judgement::nothing_checked;
    Json rows = Json::array();
    for (simulator::HeldOutClass const& one : classes) {
        Judgement const here = judged(options.limits, one.phases);
        verdict =
            here == Judgement::exceeded || verdict == Judgement::nothing_checked ? here : verdict;
        rows.push_back({{"held_out", one.name},
                        {"summary", summary_json(one.phases)},
                        {"interval", coverage_json(one.coverage)},
                        {"not_held_out", one.not_held_out}});
    }
    if (options.json) {
        Json json = json_result("validate",
                                {{"file", options.file},
                                 {"platform", machine.platform.name},
                                 {"platform_hash", hash_text(platform_hash(machine.platform))},
                                 {"device_profile", machine.device.name},
                                 {"hold_out", *options.hold_out}});
        json.update(Json{{"classes", rows}});
        print_json(json, std::cout);
    } else {
        print_classes(classes);
    }
    return exit_code_of(verdict);
}

} // namespace

Expected<ExitCode> validate_runs(ValidateOptions const& options,
                                 std::span<Measurement const> runs) {
    if (!options.platform) {
        return tl::unexpected(missing_platform_error());
    }
    KEYSWAP_TRY(auto const machine, simulator::load_machine(*options.platform, options.profile));
    remark_other_gpus(gpu_names(runs), options.file, machine.platform);
    if (options.hold_out) {
        return run_hold_out(options, machine, runs);
    }
    KEYSWAP_TRY(auto const validation,
                simulator::validate(machine, runs, simulator::Intervals::predicted));
    auto const summaries = simulator::summarize(validation, options.filter());
    auto const inside = simulator::coverage(validation, options.filter());
    auto const by_class = simulator::class_coverage(validation, options.filter());
    Judgement const verdict = judged(options.limits, summaries);
    if (options.json) {
        Json rows =
            json_array(validation.configurations, [](auto const& row) { return row_json(row); });
        Json json = json_result("validate",
                                {{"file", options.file},
                                 {"platform", machine.platform.name},
                                 {"platform_hash", hash_text(platform_hash(machine.platform))},
                                 {"device_profile", machine.device.name}});
        json.update(Json{{"passes_compared", validation.passes_compared},
                         {"passes_equal", validation.passes_equal},
                         {"configurations", rows},
                         {"summary", summary_json(summaries)},
                         {"interval", coverage_json(inside)},
                         {"interval_classes", class_coverage_json(by_class)},
                         {"checked", summaries.front().count},
                         {"within_thresholds", within_json(verdict)}});
        print_json(json, std::cout);
        return exit_code_of(verdict);
    }
    std::cout << formatted(
        "# %s on platform %s (%016llx), device profile %s; predicted/measured in ms\n",
        options.file.c_str(),
        printable_text(machine.platform.name).c_str(),
        static_cast<unsigned long long>(simulator::platform_hash(machine.platform)),
        printable_text(machine.device.name).c_str());
    for (auto const& row : validation.configurations) {
        print_row(row);
    }
    std::cout << formatted("\nphase                 count   median      p95    worst\n");
    for (simulator::ErrorSummary const& phase : summaries) {
        std::cout << formatted("%-20s %6zu", phase.phase.c_str(), phase.count);
        for (double const error : {phase.median, phase.p95, phase.worst}) {
            std::cout << formatted(
                " %8s", phase.count == 0 ? "-" : printed("%.2f%%", 100.0 * error).c_str());
        }
        std::cout << '\n';
    }
    print_coverage(inside, by_class);
    std::cout << formatted("passes equal: %zu of %zu configurations\n",
                           validation.passes_equal,
                           validation.passes_compared);
    return exit_code_of(verdict);
}

} // namespace keyswap::tools
