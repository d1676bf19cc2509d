#include "simulator/study/hold_out.hpp"
#include "tools/commands/command.hpp"
#include "tools/commands/validate_operation.hpp"
#include "tools/commands/validate_rates.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/byte_source.hpp"

#include <iostream>
#include <nlohmann/json.hpp>
#include <span>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double phase_ms_min_default = 1.0;

struct ValidateOptions {
    std::string file;
    std::optional<std::string> platform; ///< of measured runs; rates name their devices
    std::optional<std::string> profile;
    std::uint64_t key_count_min = 0;
    std::optional<double> phase_ms_min;
    std::optional<double> median_max;
    std::optional<double> p95_max;
    std::optional<double> worst_max;
    std::optional<double> phase_p95_max;
    std::optional<std::string> hold_out;
    std::optional<std::string> operation; ///< of nccl-tests that do not name theirs
    std::optional<std::string> gpus;      ///< likewise
    bool json = false;

    [[nodiscard]] simulator::SummaryFilter filter() const {
        return {key_count_min, ~std::uint64_t{0}, phase_ms_min.value_or(phase_ms_min_default)};
    }
};

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
            {"parameter", run.parameter},
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
    std::cout << formatted("%-17s %11.0f %-15s %-7s %-14s %4g %d/%d",
                           printable_text(run.algorithm).c_str(),
                           static_cast<double>(run.key_count),
                           gpus_text(run.gpus).c_str(),
                           printable_text(run.key_type).c_str(),
                           printable_text(run.distribution).c_str(),
                           run.parameter,
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

/// What the limits say of the errors.
enum class Judgement { within, exceeded, nothing_checked };

/// A limit on something of which there is nothing holds for nothing.
Judgement judged(ValidateOptions const& options,
                 std::span<simulator::ErrorSummary const> summaries) {
    simulator::ErrorSummary const& total = summaries.front();
    Judgement verdict = Judgement::within;
    auto const judge = [&verdict](std::optional<double> limit, double value, std::size_t count) {
        if (limit && count == 0) {
            verdict = Judgement::nothing_checked;
        } else if (limit && !(value <= *limit) && verdict == Judgement::within) {
            verdict = Judgement::exceeded;
        }
    };
    judge(options.median_max, total.median, total.count);
    judge(options.p95_max, total.p95, total.count);
    judge(options.worst_max, total.worst, total.count);
    std::size_t phases = 0;
    for (simulator::ErrorSummary const& phase : summaries.subspan(1)) {
        judge(phase.count == 0 ? std::nullopt : options.phase_p95_max, phase.p95, phase.count);
        phases += phase.count;
    }
    judge(options.phase_p95_max, 0.0, phases);
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
    return tl::unexpected(InputError{"validate",
                                     "nothing was checked: no configuration is left to compare",
                                     "give measurements of sorts that can be simulated, or lower "
                                     "--min-keys and --min-phase-ms"});
}

Json summary_json(std::span<simulator::ErrorSummary const> summaries) {
    Json summary = Json::array();
    for (simulator::ErrorSummary const& phase : summaries) {
        summary.push_back({{"phase", phase.phase},
                           {"count", phase.count},
                           {"median", phase.median},
                           {"p95", phase.p95},
                           {"worst", phase.worst}});
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

/// What the intervals of nine in ten hold, class by class: of these totals, and of the held-out
/// runs that the class's error comes from.
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

/// A row a class: the total, and the worst of each phase.
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

/// The same limits for every class.
Expected<ExitCode> run_hold_out(ValidateOptions const& options,
                                simulator::Machine const& machine,
                                std::span<Measurement const> runs) {
    KEYSWAP_TRY(auto const by, simulator::parse_hold_out(*options.hold_out));
    KEYSWAP_TRY(auto const classes, simulator::hold_out(machine, runs, by, {}, options.filter()));
    Judgement verdict = Judgement::nothing_checked;
    Json rows = Json::array();
    for (simulator::HeldOutClass const& one : classes) {
        Judgement const here = judged(options, one.phases);
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

Json within_json(Judgement verdict) {
    return verdict == Judgement::nothing_checked ? Json(nullptr)
                                                 : Json(verdict == Judgement::within);
}

/// The option that only measured runs have, of those that were given.
std::optional<std::string> option_of_runs(ValidateOptions const& options) {
    for (auto const& [given, name] :
         {std::pair{options.platform.has_value(), "--platform"},
          std::pair{options.profile.has_value(), "--profile"},
          std::pair{options.hold_out.has_value(), "--hold-out"},
          std::pair{options.key_count_min > 0, "--min-keys"},
          std::pair{options.phase_ms_min.has_value(), "--min-phase-ms"},
          std::pair{options.phase_p95_max.has_value(), "--max-phase-p95-error"}}) {
        if (given) {
            return name;
        }
    }
    return std::nullopt;
}

Expected<ExitCode>
run_rates(ValidateOptions const& options, std::string const& path, std::string const& text) {
    if (auto const option = option_of_runs(options)) {
        return tl::unexpected(
            InputError{*option,
                       "is of measured runs, and " + options.file + " has rates of single devices",
                       "leave it out: rates name their devices"});
    }
    return parse_rates(text, path).and_then([&](std::vector<PublishedRate> const& rates) {
        return validate_rates(
            path, rates, {options.median_max, options.p95_max, options.worst_max}, options.json);
    });
}

InputError lacks_platform() {
    return {"--platform",
            "is missing: measured runs are predicted on a machine",
            "add it, for instance --platform dgx-a100"};
}

/// The operation that the output names, or that --operation names.
Expected<simulator::CollectiveKind> kind_of(ValidateOptions const& options,
                                            NcclTests const& tests) {
    if (options.operation) {
        KEYSWAP_TRY(auto const named,
                    simulator::parse_collective(*options.operation, "--operation"));
        if (tests.kind && *tests.kind != named) {
            return tl::unexpected(InputError{"--operation",
                                             "is " + *options.operation + ", and " + options.file +
                                                 " is of " + to_string(*tests.kind),
                                             "leave it out"});
        }
        return named;
    }
    if (!tests.kind) {
        return tl::unexpected(InputError{"--operation",
                                         "is missing, and " + options.file + " names none",
                                         "add one of " + simulator::collective_list()});
    }
    return *tests.kind;
}

/// One GPU a rank: those of --gpus, or the first ones.
Expected<std::vector<std::uint32_t>>
gpus_of(ValidateOptions const& options, NcclTests const& tests, simulator::Machine const& machine) {
    if (options.gpus) {
        KEYSWAP_TRY(auto gpus, parse_gpus(*options.gpus, machine));
        if (tests.ranks > 0 && gpus.size() != tests.ranks) {
            return tl::unexpected(InputError{"--gpus",
                                             "names " + std::to_string(gpus.size()) + ", and " +
                                                 options.file + " has " +
                                                 counted(tests.ranks, "rank"),
                                             "name a GPU for each rank"});
        }
        return gpus;
    }
    KEYSWAP_TRY(auto gpus, parse_gpus("all", machine));
    if (tests.ranks > gpus.size()) {
        return tl::unexpected(InputError{"--platform " + *options.platform,
                                         "has " + counted(gpus.size(), "GPU") + ", and " +
                                             options.file + " has " + counted(tests.ranks, "rank"),
                                         "name the machine that was measured"});
    }
    gpus.resize(tests.ranks > 0 ? tests.ranks : gpus.size());
    return gpus;
}

Expected<ExitCode> run_operation_rows(ValidateOptions const& options,
                                      std::string const& path,
                                      std::string const& text) {
    KEYSWAP_TRY(auto const tests, parse_nccl_tests(text, path));
    KEYSWAP_TRY(auto const kind, kind_of(options, tests));
    if (!options.platform) {
        return tl::unexpected(lacks_platform());
    }
    KEYSWAP_TRY(auto const machine, simulator::load_machine(*options.platform, options.profile));
    KEYSWAP_TRY(auto const gpus, gpus_of(options, tests, machine));
    KEYSWAP_TRY(auto const rows, validate_operation(machine, tests, kind, gpus));
    std::vector const summaries{summary_of(rows)};
    auto const inside = coverage_of(rows);
    Judgement const verdict = judged(options, summaries);
    if (options.json) {
        Json json = json_result("validate",
                                {{"file", options.file},
                                 {"platform", machine.platform.name},
                                 {"platform_hash", hash_text(platform_hash(machine.platform))},
                                 {"operation", to_string(kind)},
                                 {"gpus", gpus}});
        json.update(Json{{"configurations", operation_rows_json(rows)},
                         {"summary", summary_json(summaries)},
                         {"interval", coverage_json(inside)},
                         {"checked", rows.size()},
                         {"within_thresholds", within_json(verdict)}});
        print_json(json, std::cout);
        return exit_code_of(verdict);
    }
    std::cout << formatted("# %s: %s of %s on platform %s (%s)\n",
                           printable_text(options.file).c_str(),
                           to_string(kind).c_str(),
                           counted(gpus.size(), "GPU").c_str(),
                           printable_text(machine.platform.name).c_str(),
                           hash_text(platform_hash(machine.platform)).c_str());
    print_operation_rows(rows);
    std::cout << formatted("\nerror of %zu sizes: median %.2f%%, p95 %.2f%%, worst %.2f%%\n"
                           "inside the interval of nine in ten: %zu of %zu (%s)\n",
                           summaries.front().count,
                           100.0 * summaries.front().median,
                           100.0 * summaries.front().p95,
                           100.0 * summaries.front().worst,
                           inside.inside,
                           inside.count,
                           share_text(inside).c_str());
    return exit_code_of(verdict);
}

/// Options that only the output of nccl-tests has.
std::optional<InputError> misplaced(ValidateOptions const& options) {
    for (auto const& [given, name] : {std::pair{options.operation.has_value(), "--operation"},
                                      std::pair{options.gpus.has_value(), "--gpus"}}) {
        if (given) {
            return InputError{name,
                              "is of what nccl-tests print, which " + options.file + " is not",
                              "leave it out: measured runs name theirs"};
        }
    }
    return std::nullopt;
}

Expected<ExitCode> run_validate(ValidateOptions const& options) {
    KEYSWAP_TRY(auto const path, readable_path(options.file));
    KEYSWAP_TRY(auto const text,
                open_bytes(path).and_then([&path](std::unique_ptr<ByteSource> const& bytes) {
                    return read_text(*bytes, path);
                }));
    if (looks_like_nccl_tests(text)) {
        return run_operation_rows(options, path, text);
    }
    if (auto error = misplaced(options)) {
        return tl::unexpected(std::move(*error));
    }
    if (looks_like_rates(text)) {
        return run_rates(options, path, text);
    }
    KEYSWAP_TRY(auto const runs, parse_measurements(text, path));
    if (!options.platform) {
        return tl::unexpected(lacks_platform());
    }
    KEYSWAP_TRY(auto const machine, simulator::load_machine(*options.platform, options.profile));
    if (options.hold_out) {
        return run_hold_out(options, machine, runs);
    }
    KEYSWAP_TRY(auto const validation,
                simulator::validate(machine, runs, simulator::Intervals::predicted));
    auto const summaries = simulator::summarize(validation, options.filter());
    auto const inside = simulator::coverage(validation, options.filter());
    auto const by_class = simulator::class_coverage(validation, options.filter());
    Judgement const verdict = judged(options, summaries);
    if (options.json) {
        Json rows = Json::array();
        for (auto const& row : validation.configurations) {
            rows.push_back(row_json(row));
        }
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
        std::cout << formatted("%-20s %6zu %7.2f%% %7.2f%% %7.2f%%\n",
                               phase.phase.c_str(),
                               phase.count,
                               100.0 * phase.median,
                               100.0 * phase.p95,
                               100.0 * phase.worst);
    }
    print_coverage(inside, by_class);
    std::cout << formatted("passes equal: %zu of %zu configurations\n",
                           validation.passes_equal,
                           validation.passes_compared);
    return exit_code_of(verdict);
}

} // namespace

void add_validate_command(CLI::App& app, ChosenCommand& chosen) {
    CLI::App& command =
        *app.add_subcommand("validate", "Compare predictions with measured runs, phase by phase");
    auto const options = std::make_shared<ValidateOptions>();
    command
        .add_option("file",
                    options->file,
                    "Measurements in the published CSV format, rates of single devices, or what "
                    "nccl-tests print, as text or JSON")
        ->required();
    command.add_option(
        "--platform", options->platform, "Platform that was measured, by name or file");
    command.add_option("--profile", options->profile, "Device profile by name or file");
    add_count_option(command,
                     "--min-keys",
                     options->key_count_min,
                     "Leave configurations of fewer keys out of the summary");
    command
        .add_option(
            "--min-phase-ms", options->phase_ms_min, "Leave shorter phases out of the summary")
        ->default_str(formatted("%g", phase_ms_min_default));
    command.add_option("--max-median-error",
                       options->median_max,
                       "Highest median error of the total, as a fraction");
    command.add_option("--max-p95-error",
                       options->p95_max,
                       "Highest 95th percentile of the total's error, as a fraction");
    command.add_option(
        "--max-worst-error", options->worst_max, "Highest error of any total, as a fraction");
    command.add_option("--max-phase-p95-error",
                       options->phase_p95_max,
                       "Highest 95th percentile of any phase's error, as a fraction");
    command.add_option("--hold-out",
                       options->hold_out,
                       "Fit without one class of configurations at a time and predict it: gpus, "
                       "distribution, type or size");
    command.add_option("--operation",
                       options->operation,
                       "What nccl-tests measured, where their output does not name it: " +
                           simulator::collective_list());
    command.add_option("--gpus",
                       options->gpus,
                       "GPUs on which nccl-tests ran, as 0,2,4-6; by default the first ones");
    command.add_flag("--json", options->json, "Print JSON");
    run_when_chosen(command, chosen, options, run_validate);
}

} // namespace keyswap::tools
